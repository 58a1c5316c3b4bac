"""wrong_resume_seed.py and right_resume_seed.py: dropout after a restart."""

import pytest

import resume_twice
import right_resume_seed
import wrong_resume_seed
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_resume_seed.py",
    "distributed/right_resume_seed.py",
    "distributed/resume_twice.py",
]


def both(rank, train):
    """The weights after eight steps, without a break and with one."""
    whole, _ = train(range(8))
    resumed, _ = train(range(4, 8), train(range(4)))
    return {k: (whole[k], resumed[k]) for k in whole}


def off(train):
    pairs = run_ranks(both, 2, train)[0]
    return max((a - b).abs().max().item() for a, b in pairs.values())


def printed(rank, train):
    lines = []
    resume_twice.print = lines.append
    resume_twice.compare(rank, train)
    return lines


def test_one_seed_is_not_enough():
    assert off(wrong_resume_seed.train) == pytest.approx(0.0076, abs=5e-5)


def test_a_seed_for_each_step():
    assert off(right_resume_seed.train) == 0
    assert off(resume_twice.without_dropout) == 0


def test_what_is_printed():
    shown = "largest difference after the restart: 0.0000"
    assert run_ranks(printed, 2, right_resume_seed.train) == [[shown], []]


def test_the_ranks_do_not_share_masks():
    """A seed without the rank would drop the same units everywhere."""
    drawn = run_ranks(first_seeds, 2)
    assert drawn == [[0, 2, 4, 6], [1, 3, 5, 7]]


def first_seeds(rank):
    seeds, real = [], right_resume_seed.torch.manual_seed

    def spy(seed):
        seeds.append(seed)
        return real(seed)

    right_resume_seed.torch.manual_seed = spy
    right_resume_seed.train(range(4))
    return seeds[1:]  # the first is the model's
