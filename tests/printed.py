"""What a reader sees of a run, and what of it differs from run to run."""

import re
import subprocess

MASKS = [  # what must differ from run to run
    (r"(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+|(?<=port[ :=])\d{4,5}|(?<=port: )\d{4,5}", "PORT"),
    (r"\b(?<=pid[ :=])\d+|(?<=pid: )\d+|(?<=PID )\d+", "PID"),
    (r"\b\d+(\.\d+)? ?(ms|s|seconds)\b", "TIME"),
    (r"\b0x[0-9a-f]{6,}\b", "ADDRESS"),
    (r"(?:/[\w.-]+)*/(?:tmp|T)/[\w./-]+", "PATH"),
]
EXCEPTION = re.compile(r"^[\w.]*(?:Error|Exception|Interrupt)\b")


def masked(text: str) -> str:
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return text


def shown(result: subprocess.CompletedProcess) -> str:
    """Return what a reader sees: stdout, and the error that ended a run."""
    text = result.stdout
    if result.returncode:
        lines = result.stderr.rstrip().split("\n")
        last = max((i for i, line in enumerate(lines) if EXCEPTION.match(line)), default=0)
        text += "\n".join(lines[last:]) + "\n"
    return "".join(f"{line.rstrip()}\n" for line in text.split("\n")).rstrip() + "\n"
