"""Before anything is built: the right Python, the pinned packages, a free port."""

import re
import socket
import sys
from importlib import metadata
from pathlib import Path

from mkdocs.exceptions import Abort

PINS = Path(__file__).parent.parent / "requirements-site.txt"


def wrong_packages(pins: str) -> list[str]:
    """Name each package that is missing or has another version than pinned."""
    wrong = []
    for name, version in re.findall(r"^([\w.-]+)==([\w.+-]+)", pins, re.M):
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{name} {version} is not installed")
        else:
            if found != version:
                wrong.append(f"{name} is {found}, pinned is {version}")
    return wrong


def on_startup(command, dirty):
    if sys.version_info < (3, 11):  # noqa: UP036
        raise Abort(
            f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}. "
            "Create the virtual environment with a newer one: "
            "make serve PYTHON=python3.11"
        )
    if wrong := wrong_packages(PINS.read_text()):
        raise Abort(
            "\n".join(wrong) + "\nRun: pip install -r requirements-site.txt"
        )
    on_config.check_port = command == "serve"


def on_config(config):
    if not on_config.check_port:
        return
    on_config.check_port = False
    host, port = config.dev_addr
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Abort(
                f"Cannot serve on {host}:{port}: {error.strerror}. "
                f"Stop the program that uses it, or choose another port: "
                f"make serve PORT={port + 1}"
            ) from None


on_config.check_port = False
