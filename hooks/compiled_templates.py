"""Compile each template once, for both languages and for every rebuild of `mkdocs serve`."""

from typing import ClassVar

from jinja2 import BytecodeCache


class InMemory(BytecodeCache):
    """Keeps byte code by template; Jinja drops what no longer fits its source."""

    compiled: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket):
        if bucket.key in self.compiled:
            bucket.bytecode_from_string(self.compiled[bucket.key])

    def dump_bytecode(self, bucket):
        self.compiled[bucket.key] = bucket.bytecode_to_string()


def on_env(env, config, files):
    env.bytecode_cache = InMemory()
    return env
