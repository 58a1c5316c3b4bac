"""elastic_slurm.sh and elastic_k8s.yaml: not run, but checked as far as may be.

bash and YAML can read them, and torchrun's own parser takes every option.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from torch.distributed.elastic.rendezvous import RendezvousParameters
from torch.distributed.run import config_from_args, get_args_parser

import elastic_train
from snippets import section

SNIPPETS = ["distributed/elastic_slurm.sh", "distributed/elastic_k8s.yaml"]
FOLDER = Path(elastic_train.__file__).parent


def expanded(line, **variables):
    """Let bash expand a command's variables; return its words."""
    done = subprocess.run(
        ["bash", "-euc", f"printf '%s\\n' {line}"],
        check=True, capture_output=True, text=True, timeout=60,
        env={"PATH": "/usr/bin:/bin", **variables},
    )
    return done.stdout.splitlines()


def options(words):
    """What torchrun makes of its arguments; an unknown one is an error."""
    args = get_args_parser().parse_args(words)
    config, _, command = config_from_args(args)
    conf = RendezvousParameters(
        "c10d", config.rdzv_endpoint, config.run_id, 2, 2, **config.rdzv_configs
    )
    return args, config, conf.get_as_bool("is_host"), command


def slurm_words(node):
    text = section("distributed/elastic_slurm.sh", "job")
    inner = re.search(r'bash -c "(.*)"$', text, re.S)[1].replace("\\\n", " ")
    of_the_job = {
        "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_ID": "77", "head": "gpu1",
    }
    once = " ".join(expanded(f'"{inner}"', **of_the_job))
    return expanded(once, SLURM_NODEID=str(node), SLURMD_NODENAME=f"gpu{node + 1}")


def k8s_words(pod):
    _, job = yaml.safe_load_all(section("distributed/elastic_k8s.yaml", "job"))
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (line,) = container["args"]
    return expanded(line, JOB_COMPLETION_INDEX=str(pod), POD_IP=f"10.1.0.{pod + 5}")


def check(words, node, endpoint, address, script="elastic_train.py"):
    words = words[words.index("torchrun") + 1:]
    args, config, is_host, command = options(words)
    assert (config.min_nodes, config.max_nodes) == (2, 2)
    assert config.nproc_per_node == 4
    assert config.max_restarts == 3
    assert config.rdzv_backend == "c10d"
    assert config.rdzv_endpoint == endpoint
    assert is_host is (node == 0)
    assert config.local_addr == address
    assert (FOLDER / Path(args.training_script).name).is_file()
    assert command[-2:] == [script, "run.pt"]
    return config


@pytest.mark.parametrize("node", [0, 1])
def test_slurm(node, tmp_path):
    script = tmp_path / "job.sh"
    script.write_text(section("distributed/elastic_slurm.sh", "job"))
    assert script.read_text().startswith("#!/bin/bash\n#SBATCH ")
    subprocess.run(["bash", "-n", script], check=True, timeout=60)
    check(slurm_words(node), node, "gpu1:29400", f"gpu{node + 1}")
    # srun does not take the number over from sbatch.
    assert 'srun --cpus-per-task="$SLURM_CPUS_PER_TASK"' in script.read_text()


@pytest.mark.parametrize("pod", [0, 1])
def test_kubernetes(pod):
    text = section("distributed/elastic_k8s.yaml", "job")
    service, job = yaml.safe_load_all(text)
    name = job["metadata"]["name"]
    spec = job["spec"]["template"]["spec"]
    assert service["spec"]["selector"] == {"job-name": name}
    assert spec["subdomain"] == service["metadata"]["name"]
    assert job["spec"]["completionMode"] == "Indexed"
    assert job["spec"]["completions"] == job["spec"]["parallelism"] == 2
    (container,) = spec["containers"]
    mounts = {m["name"]: Path(m["mountPath"]) for m in container["volumeMounts"]}
    assert list(mounts) == [volume["name"] for volume in spec["volumes"]]
    assert mounts["shm"] == Path("/dev/shm")
    assert spec["volumes"][1]["emptyDir"] == {"medium": "Memory"}
    assert Path(container["workingDir"]) == mounts["data"]
    script = Path(k8s_words(pod)[-2])
    assert script.is_absolute()
    assert not any(script.is_relative_to(hidden) for hidden in mounts.values())
    assert container["resources"]["limits"] == {"nvidia.com/gpu": 4}
    assert {e["name"] for e in container["env"]} == {
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "POD_IP"}
    assert all(isinstance(e.get("value", ""), str) for e in container["env"])
    config = check(k8s_words(pod), pod, f"{name}-0.{spec['subdomain']}:29400",
                   f"10.1.0.{pod + 5}", "/app/elastic_train.py")
    assert config.rdzv_configs["read_timeout"] == "600"  # a pod may come first


def test_an_unknown_option_is_refused():
    with pytest.raises(SystemExit):
        options(shlex.split("--nnodes=2 --max-restart-count=3 elastic_train.py"))


@pytest.mark.parametrize("name", SNIPPETS)
def test_each_says_that_it_is_not_run(name):
    first = (FOLDER.parent / name).read_text("utf-8").partition("\n")[0]
    assert re.fullmatch(r"# not run: [ -~]+ \| .*[\u4e00-\u9fff].*", first)
