"""The runner of scripts itself: like a new interpreter, in time, without leftovers."""

import subprocess
import sys
import textwrap

import pytest

from warm import imports, run_script


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(text))
        return path
    return write


def test_only_what_a_script_imports_is_imported_before():
    assert imports("X = 1\nimport torch._dynamo\nimport os") == ("torch", "torch._dynamo")
    assert imports("from torch import nn") == ("torch",)
    assert imports('import os\nos.environ["X"] = "1"\nimport torch') == ()
    assert imports("def f():\n    import numpy") == ()


@pytest.mark.parametrize("text", [
    "import sys, os, numpy\nprint(len(sys.argv), os.path.isabs(__file__), __name__)\n"
    "print(sys.path[0] == os.getcwd())",
    "import torch\nprint(torch.ones(2).sum(), sys.version)",
    "import sys\nprint('half', end='')\nsys.exit('no')",
    "import atexit\natexit.register(print, 'over')\nraise SystemExit(3)",
    "import os\nprint(sorted(os.listdir()), input)\nos.abort()",
    "import multiprocessing as m\ndef f(): print('child', flush=True)\n"
    "if __name__ == '__main__':\n    p = m.get_context('spawn').Process(target=f)\n"
    "    p.start()\n    p.join()",
])
def test_it_does_what_a_new_interpreter_does(script, text):
    path = script(text)
    want = subprocess.run([sys.executable, path.name], cwd=path.parent, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    (got,) = run_script(path)
    assert (got.returncode, got.stdout) == (want.returncode, want.stdout)
    assert got.stderr.split("\n")[-3:] == want.stderr.split("\n")[-3:]


def test_no_run_sees_another_s_names_or_folder(script):
    run_script(script("import torch, os\ntorch.mark = 1\nos.environ['MARK'] = '1'"))
    (got,) = run_script(script(
        "import torch, os\nprint(hasattr(torch, 'mark'), 'MARK' in os.environ)"))
    assert got.stdout == "False False\n"


def test_each_rank_has_its_variables_and_a_failure_ends_the_others(script):
    path = script("""
        import os, sys, time
        print(os.environ["RANK"], flush=True)
        if os.environ["RANK"] == "1":
            sys.exit(7)
        time.sleep(60)
    """)
    first, second = run_script(path, ranks=({"RANK": "0"}, {"RANK": "1"}))
    assert second.stdout == "1\n"
    assert (first.returncode, second.returncode) == (-15, 7)


def test_a_run_over_its_limit_is_ended(script):
    with pytest.raises(AssertionError, match=r"script.py did not end within 0.5 s.*begun"):
        run_script(script("import time\nprint('begun', flush=True)\ntime.sleep(60)"), limit=0.5)


def test_a_process_left_behind_is_an_error(script):
    path = script("""
        import subprocess
        subprocess.Popen(["sleep", "60"], start_new_session=True)
    """)
    with pytest.raises(AssertionError, match="script.py left processes behind"):
        run_script(path)
