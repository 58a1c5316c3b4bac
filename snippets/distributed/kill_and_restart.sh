# --8<-- [start:run]
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
torchrun --standalone --nproc-per-node=2 \
  --max-restarts=3 \
  elastic_train.py run.pt --kill-at=14
# --8<-- [end:run]
