# --8<-- [start:serve]
make serve
# --8<-- [end:serve]
