# not run: needs several GPUs and NCCL | 需要多块 GPU 与 NCCL
# --8<-- [start:nccl]
export TORCH_DISTRIBUTED_DEBUG=INFO    # parameters by name in errors
export NCCL_DEBUG=INFO                 # what NCCL does: rings, network, errors
export TORCH_FR_BUFFER_SIZE=2000       # flight recorder: the last collectives
export TORCH_NCCL_DUMP_ON_TIMEOUT=1    # write them when the watchdog fires
torchrun --standalone --nproc-per-node=gpu train.py
# --8<-- [end:nccl]
