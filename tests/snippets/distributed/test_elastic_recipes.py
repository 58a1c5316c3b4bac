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


def check(words, node, endpoint, address):
    words = words[words.index("torchrun") + 1:]
    args, config, is_host, command = options(words)
    assert (config.min_nodes, config.max_nodes) == (2, 2)
    assert config.nproc_per_node == 4
    assert config.max_restarts == 3
    assert config.rdzv_backend == "c10d"
    assert config.rdzv_endpoint == endpoint
    assert is_host is (node == 0)
    assert config.local_addr == address
    assert (FOLDER / args.training_script).is_file()
    assert command[-2:] == ["elastic_train.py", "run.pt"]


@pytest.mark.claim(
    zh="Slurm 脚本：bash 能解析，torchrun 的解析器接受每个选项，节点 0 是 Store 的主机；没有在集群上运行",
    en="The Slurm script: bash reads it, torchrun's parser takes every option, node 0 hosts the store; not run on a cluster",
    against_zh="`bash -n` 与所装版本的 torchrun",
    against_en="`bash -n` and torchrun as installed",
    snippets=["distributed/elastic_slurm.sh"],
)
@pytest.mark.parametrize("node", [0, 1])
def test_slurm(node, tmp_path):
    script = tmp_path / "job.sh"
    script.write_text(section("distributed/elastic_slurm.sh", "job"))
    assert script.read_text().startswith("#!/bin/bash\n#SBATCH ")
    subprocess.run(["bash", "-n", script], check=True, timeout=60)
    check(slurm_words(node), node, "gpu1:29400", f"gpu{node + 1}")


@pytest.mark.claim(
    zh="Kubernetes 清单：YAML 能解析，名字互相对得上，torchrun 的解析器接受每个选项；没有在集群上运行",
    en="The Kubernetes manifest: it is valid YAML, its names fit each other, torchrun's parser takes every option; not run on a cluster",
    against_zh="PyYAML 与所装版本的 torchrun",
    against_en="PyYAML and torchrun as installed",
    snippets=["distributed/elastic_k8s.yaml"],
)
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
    (mount,) = container["volumeMounts"]
    assert mount["name"] == spec["volumes"][0]["name"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": 4}
    assert {e["name"] for e in container["env"]} == {
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "POD_IP"}
    assert all(isinstance(e.get("value", ""), str) for e in container["env"])
    check(k8s_words(pod), pod, f"{name}-0.{spec['subdomain']}:29400", f"10.1.0.{pod + 5}")


def test_an_unknown_option_is_refused():
    with pytest.raises(SystemExit):
        options(shlex.split("--nnodes=2 --max-restart-count=3 elastic_train.py"))


@pytest.mark.parametrize("name", SNIPPETS)
def test_each_says_that_it_is_not_run(name):
    first = (FOLDER.parent / name).read_text("utf-8").partition("\n")[0]
    assert re.fullmatch(r"# not run: [ -~]+ \| .*[\u4e00-\u9fff].*", first)
