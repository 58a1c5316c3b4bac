# --8<-- [start:torchrun]
torchrun --standalone --nproc-per-node=2 quickstart.py
# --8<-- [end:torchrun]
