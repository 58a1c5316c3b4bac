"""What every test shares: import paths, the GPU mark, the verification record."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the workers share the cores
sys.path[:0] = [str(p) for p in [ROOT / "tests", ROOT / "hooks",
                                 *sorted((ROOT / "snippets").iterdir())] if p.is_dir()]
pytest_plugins = ["verification"]


def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu"):
        import torch
        if not torch.cuda.is_available():
            pytest.skip("no CUDA GPU here | 这里没有 CUDA GPU")


@pytest.fixture
def project(tmp_path):
    """A small project made of this one's machine, to break."""
    from project import Project
    return Project(tmp_path / "project")
