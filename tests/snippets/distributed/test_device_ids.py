"""wrong_device_ids.py and right_device_ids.py: None, or one GPU."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import right_device_ids
import wrong_device_ids
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_device_ids.py",
    "distributed/right_device_ids.py",
]
ONLY = (
    "DistributedDataParallel device_ids and output_device arguments only work "
    "with single-device/multiple-device GPU modules or CPU modules, but got "
)


def wrong(rank):
    lines = []
    wrong_device_ids.print = lambda text, flush: lines.append(text)
    with pytest.raises(ValueError) as caught:
        wrong_device_ids.wrap(rank)
    return lines, str(caught.value)


def right(rank):
    lines = []
    right_device_ids.print_in_turn = lines.append
    right_device_ids.wrap(rank)
    return lines


def on_two_gpus(rank):
    """The check comes before the parameters are touched: say where they are."""

    class OnTwo(nn.Linear):
        def named_parameters(self, *args, **kwargs):
            for i in (0, 1):
                device = torch.device("cuda", i)
                yield str(i), SimpleNamespace(device=device, requires_grad=True)

    with pytest.raises(ValueError) as caught:
        DDP(OnTwo(1, 1), device_ids=[0])
    return str(caught.value)


def mixed(rank):
    model = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1, device="meta"))
    with pytest.raises(ValueError) as caught:
        DDP(model)
    return str(caught.value)


@pytest.mark.claim(
    zh="device_ids=[0..7] 报 device_ids can only be None or contain a single element；CPU 模型写 device_ids=[rank] 也报错",
    en="device_ids=[0..7] raises device_ids can only be None or contain a single element; device_ids=[rank] for a model on the CPU raises as well",
    against_zh="真实报错，两个 rank",
    against_en="the errors themselves, two ranks",
    snippets=["distributed/wrong_device_ids.py"],
)
def test_one_element_and_a_gpu():
    for rank, (lines, error) in enumerate(run_ranks(wrong, 2)):
        assert lines == [
            f"rank {rank}: device_ids can only be None or contain a single element."
        ]
        assert error.startswith(f"{ONLY}device_ids [{rank}], output_device None")


def test_a_model_on_two_gpus():
    """device_ids=[0] for a model with parameters on two GPUs: the same error as
    on the CPU.
    """
    (error,) = run_ranks(on_two_gpus, 1)
    assert error.startswith(f"{ONLY}device_ids [0], output_device None")
    assert "device(type='cuda', index=1)" in error


def test_one_type_of_device():
    (error,) = run_ranks(mixed, 1)
    assert "input module must be on the same type of devices" in error


def on_a_gpu(rank):
    """The local rank's GPU, not the global rank's: rank 0 is given cuda:3."""
    seen = []
    right_device_ids.device = lambda: torch.device("cuda", 3)
    right_device_ids.nn = SimpleNamespace(
        Linear=lambda *sizes: SimpleNamespace(to=lambda place: place)
    )
    right_device_ids.DDP = lambda model, device_ids: (
        seen.append((str(model), device_ids)) or SimpleNamespace(device_ids=device_ids)
    )
    right_device_ids.wrap(rank)
    return seen


def empty(rank):
    return DDP(nn.Linear(1, 1), device_ids=[]).device_ids


def test_the_gpu_of_this_rank():
    assert run_ranks(on_a_gpu, 1) == [[("cuda:3", [3])]]


def test_an_empty_list_counts_as_none():
    assert run_ranks(empty, 1) == [None]


def test_none_on_a_cpu():
    assert run_ranks(right, 2) == [[f"rank {r}: device_ids None"] for r in (0, 1)]
