"""The same failing build, raised with TensorRT's own reason."""

from build_engine import build_pool_network

# --8<-- [start:main]
try:
    plan = build_pool_network((-1, 3, -1, -1), profiles=[])
except RuntimeError as error:
    print(str(error).partition("(")[2].partition(". In ")[0])
# --8<-- [end:main]
