"""Compile each template once, for both languages and for every rebuild of `mkdocs serve`.

Likewise list the theme's files: Material's fourteen thousand icons are among them.
"""

from pathlib import Path
from typing import ClassVar

from jinja2 import BytecodeCache

OVERRIDES = Path(__file__).parent.parent / "overrides"


class InMemory(BytecodeCache):
    """Keeps byte code by template; Jinja drops what no longer fits its source."""

    compiled: ClassVar[dict[str, bytes]] = {}
    listed: ClassVar[dict[tuple, list[str]]] = {}

    def load_bytecode(self, bucket):
        if bucket.key in self.compiled:
            bucket.bytecode_from_string(self.compiled[bucket.key])

    def dump_bytecode(self, bucket):
        self.compiled[bucket.key] = bucket.bytecode_to_string()


def on_env(env, config, files):
    env.bytecode_cache = InMemory()
    return env


def on_config(config):
    make = config.theme.get_env

    def get_env():
        env = make()
        find = env.list_templates

        def list_templates(**options):
            ours = tuple(sorted(path for path in OVERRIDES.rglob("*")))
            if ours not in InMemory.listed:
                InMemory.listed[ours] = find(**options)
            return InMemory.listed[ours]

        env.list_templates = list_templates
        return env

    config.theme.get_env = get_env
