"""DataParallel and DDP on the same four samples, counted point by point."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from ddp_trace import Collectives
from launch import device, launch


class Layer(nn.Linear):
    """Writes down the process and the thread of each forward."""

    def __init__(self, ran_in):
        torch.manual_seed(0)
        super().__init__(1, 1)
        self.ran_in = ran_in

    def forward(self, x):
        self.ran_in.append((os.getpid(), threading.current_thread().name))
        return super().forward(x)


# --8<-- [start:stand_in]
class TwoStandIns(nn.DataParallel):
    """torch's own forward(); the four methods it calls, on the CPU."""

    def __init__(self, module, calls):
        nn.Module.__init__(self)  # theirs would look for GPUs
        self.module, self.calls = module, calls
        self.device_ids, self.output_device = [0, 1], "cpu"
        self.src_device_obj = torch.device("cpu")

    def scatter(self, inputs, kwargs, device_ids):
        self.calls.append("scatter")
        chunks = inputs[0].chunk(len(device_ids))
        return [(chunk,) for chunk in chunks], [{} for _ in chunks]

    def replicate(self, module, device_ids):
        self.calls.append("replicate")
        replicas = [module._replicate_for_data_parallel() for _ in device_ids]
        for replica in replicas:
            for name, parameter in module.named_parameters():
                setattr(replica, name, parameter.clone())
        return replicas

    def parallel_apply(self, replicas, inputs, kwargs):
        self.calls.append("parallel_apply")
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as two:
            pools = zip((one, two), replicas, inputs, strict=True)
            futures = [pool.submit(f, *x) for pool, f, x in pools]
            return [future.result() for future in futures]

    def gather(self, outputs, output_device):
        self.calls.append("gather")
        return torch.cat(outputs)


# --8<-- [end:stand_in]


# --8<-- [start:measure]
def measure(wrapped, x, calls, ran_in):
    """Three forwards, a backward and a step of Adam, in numbers."""
    optimizer = torch.optim.Adam(wrapped.parameters())
    for _ in range(3):
        output = wrapped(x)
    in_forward = len(calls)
    output.square().mean().backward()
    optimizer.step()
    moments = sum(s["exp_avg"].numel() for s in optimizer.state.values())
    return {
        "processes": {pid for pid, _ in ran_in},
        "threads": len(set(ran_in)),
        "calls in 3 forwards": in_forward,
        "rows of output": len(output),
        "Adam moments": moments,
        "gradient": f"{wrapped.module.weight.grad.item():.4f}",
    }


# --8<-- [end:measure]


def compare(rank):
    x = torch.arange(4.0).view(4, 1)
    calls, ran_in = [], []
    dp = measure(TwoStandIns(Layer(ran_in), calls), x, calls, ran_in)
    calls, ran_in = [], []
    ddp = DDP(Layer(ran_in).to(device()))
    with Collectives(calls.append):
        mine = x.chunk(dist.get_world_size())[rank].to(device())
        ddp = measure(ddp, mine, calls, ran_in)
    rows = [None] * dist.get_world_size()
    dist.all_gather_object(rows, ddp)
    return dp, rows


def table(rank):
    dp, rows = compare(rank)
    if rank == 0:
        print(f"{'':19} {'DataParallel':13} DDP")
        for name, value in dp.items():
            each = [row[name] for row in rows]
            if isinstance(value, set):
                value, each = len(value), [len(set.union(*each))]
            cells = " | ".join(dict.fromkeys(map(str, each)))
            print(f"{name:19} {value!s:13} {cells}", flush=True)


if __name__ == "__main__":
    launch(table)
