"""wrong_module_keys.py and right_module_keys.py: the prefix of DDP's keys."""

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import right_module_keys
import wrong_module_keys
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_module_keys.py",
    "distributed/right_module_keys.py",
]


def wrong(rank):
    try:
        wrong_module_keys.save_and_load(rank)
    except RuntimeError as error:
        return str(error)


def right(rank):
    printed = []
    right_module_keys.print = printed.append
    right_module_keys.save_and_load(rank)
    return [str(text) for text in printed]


def not_strict(rank):
    """What strict=False, the usual advice, loads."""
    ddp, model = DDP(nn.Linear(4, 2)), nn.Linear(4, 2)
    before = model.weight.detach().clone()
    model.load_state_dict(ddp.state_dict(), strict=False)
    return torch.equal(before, model.weight)


def plain_into_ddp(rank):
    """The other way round: a checkpoint of the model alone."""
    ddp, plain = DDP(nn.Linear(4, 2)), nn.Linear(4, 2).state_dict()
    try:
        ddp.load_state_dict(plain)
    except RuntimeError as error:
        return str(error), str(ddp.module.load_state_dict(plain))


@pytest.mark.claim(
    zh="ddp.state_dict() 的键带 module. 前缀，普通模型报 Missing key(s)",
    en="ddp.state_dict() has keys that begin with module., and a plain model raises Missing key(s)",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_module_keys.py"],
)
def test_the_prefix_does_not_fit():
    (error,) = run_ranks(wrong, 1)
    assert 'Missing key(s) in state_dict: "weight", "bias".' in error
    assert '"module.weight", "module.bias".' in error


@pytest.mark.claim(
    zh="反过来，ddp 载入原模型的检查点也报 Missing key(s)；ddp.module 载入则全部键对上",
    en="The other way round, ddp raises Missing key(s) for a plain checkpoint; ddp.module matches all keys",
    against_zh="真实报错；load_state_dict 的返回值",
    against_en="the error itself; what load_state_dict returns",
    snippets=["distributed/wrong_module_keys.py"],
)
def test_a_plain_checkpoint_into_ddp():
    ((error, inside),) = run_ranks(plain_into_ddp, 1)
    assert 'Missing key(s) in state_dict: "module.weight"' in error
    assert 'Unexpected key(s) in state_dict: "weight"' in error
    assert inside == "<All keys matched successfully>"


@pytest.mark.claim(
    zh="strict=False 不报错，但一个权重也没有载入",
    en="strict=False raises nothing and loads not a single weight",
    against_zh="载入前后逐位比较",
    against_en="before and after, compared bit for bit",
    tolerance="0",
    snippets=["distributed/wrong_module_keys.py"],
)
def test_not_strict_loads_nothing():
    assert run_ranks(not_strict, 1) == [True]


@pytest.mark.claim(
    zh="保存 ddp.module 的、或去掉前缀之后，全部键都对上",
    en="Saved from ddp.module, or with the prefix taken off, all keys match",
    against_zh="load_state_dict 的返回值",
    against_en="what load_state_dict returns",
    snippets=["distributed/right_module_keys.py"],
)
def test_all_keys_match():
    assert run_ranks(right, 1) == [["<All keys matched successfully>"] * 2]
