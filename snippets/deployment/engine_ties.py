"""What a plan of TensorRT for RTX is tied to: its version, the GPU type."""

from build_engine import KIND, BuildLog, add_pool_network, trt


# --8<-- [start:plan]
def plan_for(*capabilities: str) -> bytes:
    """Return a pooling plan for these GPU types, such as "SM89".

    With none named: for Ampere and later; Turing (RTX 20) is "SM75". Raises
    RuntimeError with TensorRT's log. Only TensorRT for RTX knows this
    setting; TensorRT builds for the GPU that it finds.
    """
    log = BuildLog()
    builder = trt.Builder(log)
    network = builder.create_network(KIND)
    add_pool_network(network, (1, 3, 32, 32))
    config = builder.create_builder_config()
    config.num_compute_capabilities = len(capabilities)
    for index, name in enumerate(capabilities):
        capability = trt.ComputeCapability.__members__[name]
        config.set_compute_capability(capability, index)
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise RuntimeError("\n".join(log.errors))
    return bytes(plan)


# --8<-- [end:plan]


if __name__ == "__main__":
    if not hasattr(trt, "ComputeCapability"):
        raise SystemExit("this needs TensorRT for RTX")
    # --8<-- [start:main]
    version = bytes(int(part) for part in trt.__version__.split("."))
    print("version in the plan's header:", version in plan_for()[:64])
    ada, blackwell = plan_for("SM89"), plan_for("SM120")
    print("SM89 twice, same plan:", ada == plan_for("SM89"))
    print("SM89 and SM120, same plan:", ada == blackwell)
    # --8<-- [end:main]
