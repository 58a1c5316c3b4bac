"""restart_store.py and its pair: the store that torchrun gives to attempt 1.

When a later torch mends this, these tests fail: then rewrite the section
#restart-store of elastic-and-multinode.md in both languages.
"""

import importlib
import os

import pytest
import torch.distributed as dist

import restart_store
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_restart_store.py",
    "distributed/right_restart_store.py",
    "distributed/restart_store.py",
]
MENDED = "this torch has mended the restart: rewrite the section #restart-store"


def alone(rank, name):
    """Run a script's main in a process of its own; return what it prints."""
    module = importlib.import_module(name)
    dist.destroy_process_group()
    os.environ.pop("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", None)
    lines = []
    show = lambda *words: lines.append(" ".join(map(str, words)))
    restart_store.print = module.print = show
    module.main()
    return lines


def keys_of_two_attempts(rank, private):
    """What two attempts' `init_process_group` find and leave in the store."""
    dist.destroy_process_group()
    os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = str(int(private))
    agent = restart_store.start_agent()
    found = []
    for attempt in range(2):
        where = agent.next_rendezvous().bootstrap_store_info
        os.environ |= {
            "MASTER_ADDR": where.master_addr,
            "MASTER_PORT": str(where.master_port),
            "RANK": "0",
            "WORLD_SIZE": "1",
            "TORCHELASTIC_USE_AGENT_STORE": str(agent.use_agent_store),
            "TORCHELASTIC_RESTART_COUNT": str(attempt),
        }
        store, *_ = next(dist.rendezvous("env://"))
        before = addresses(store)
        dist.init_process_group("gloo")
        found.append((before, addresses(store)))
        dist.destroy_process_group()
    return found


def addresses(store):
    """The keys under which gloo keeps the ranks' addresses, with values."""
    keys = [key for key in store.list_keys() if "default_pg" in key]
    return {key: store.get(key) for key in sorted(keys)}


@pytest.mark.claim(
    zh="torch 2.13 默认：第 1 次尝试的 Store 里还有第 0 次留下的两个地址",
    en="By default in torch 2.13, attempt 1's store still holds the two addresses that attempt 0 left",
    against_zh="torchrun 自己的 rendezvous 与 gloo 写下的键",
    against_en="torchrun's own rendezvous and the keys that gloo wrote",
    snippets=["distributed/wrong_restart_store.py"],
)
def test_attempt_1_gets_the_addresses_of_attempt_0():
    assert run_ranks(alone, 1, "wrong_restart_store") == [[
        "attempt 0: 0 addresses of ranks in the store",
        "attempt 1: 2 addresses of ranks in the store",
    ]], MENDED


def test_attempt_1_finds_the_keys_of_attempt_0():
    ((none, first), (found, second)), = run_ranks(keys_of_two_attempts, 1, False)
    assert none == {}
    assert found == first, MENDED
    assert second.keys() == first.keys() != set(), MENDED
    assert second != first  # overwritten: but a quicker rank has read the old


def test_a_store_for_each_attempt():
    assert run_ranks(alone, 1, "right_restart_store") == [[
        "attempt 0: 0 addresses of ranks in the store",
        "attempt 1: 0 addresses of ranks in the store",
    ]]
    ((none, first), (found, second)), = run_ranks(keys_of_two_attempts, 1, True)
    assert none == found == {}
    assert first and second
