# not run: needs several GPUs and NCCL | 需要多块 GPU 与 NCCL
# --8<-- [start:nccl]
export TORCH_DISTRIBUTED_DEBUG=INFO  # parameters by name in errors
export NCCL_DEBUG=INFO               # rings, network, errors
mkdir -p /shared/fr                  # seen by every node
export TORCH_FR_DUMP_TEMP_FILE=/shared/fr/rank_
torchrun --standalone --nproc-per-node=gpu train.py
torchfrtrace -p rank_ /shared/fr     # after the timeout
# --8<-- [end:nccl]
