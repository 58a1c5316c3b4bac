# not run: needs a Slurm cluster | 需要 Slurm 集群
# --8<-- [start:job]
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --requeue

source ~/venv/bin/activate  # your environment
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)

# one torchrun per node; \$ leaves the expansion to each node's own shell
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 \
  bash -c "torchrun \
  --nnodes=$SLURM_JOB_NUM_NODES --nproc-per-node=4 --max-restarts=3 \
  --rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID \
  --rdzv-endpoint=$head:29400 \
  --rdzv-conf=is_host=\$((SLURM_NODEID == 0)) \
  --local-addr=\$SLURMD_NODENAME \
  elastic_train.py run.pt"
# --8<-- [end:job]
