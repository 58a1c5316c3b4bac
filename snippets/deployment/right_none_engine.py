"""Ask TensorRT's log why there is no engine: three plans that it refuses."""

from build_engine import build_pool_network
from load_engine import load_engine

if __name__ == "__main__":
    # --8<-- [start:main]
    plan = build_pool_network()
    for name, data in {
        "cut short": plan[:-1],
        "not a plan": bytes(len(plan)),
        "whole": plan,
    }.items():
        try:
            print(f"{name}:", type(load_engine(data)).__name__)
        except RuntimeError as error:
            print(f"{name}:", error)
    # --8<-- [end:main]
