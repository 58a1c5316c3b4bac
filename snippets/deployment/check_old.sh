# --8<-- [start:check]
python api_check.py build.py infer.cpp
# --8<-- [end:check]
