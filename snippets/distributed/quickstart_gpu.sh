# not run: needs a machine with GPUs | 需要有 GPU 的机器
# --8<-- [start:gpu]
torchrun --standalone --nproc-per-node=gpu quickstart.py
# --8<-- [end:gpu]
