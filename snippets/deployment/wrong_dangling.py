"""Give TensorRT the address of a copy that nobody keeps."""

import torch

from cpu_memory import device_memory
from frame_diff import frames, make_engine


# --8<-- [start:main]
def bind(context, inputs):
    addresses = []
    for name, x in inputs.items():
        context.set_input_shape(name, tuple(x.shape))
        addresses.append(x.contiguous().data_ptr())  # the copy dies here
        context.set_tensor_address(name, addresses[-1])
    print("one address for both:", addresses[0] == addresses[1])


# --8<-- [end:main]


# --8<-- [start:run]
def run(engine, before, after):
    context = engine.create_execution_context()
    change = torch.empty(before.shape, device=before.device)
    moved = torch.empty_like(change, dtype=torch.bool)
    keep = bind(context, {"before": before, "after": after})  # noqa: F841
    context.set_tensor_address("change", change.data_ptr())
    context.set_tensor_address("moved", moved.data_ptr())
    context.execute_async_v3(0)
    return change


# --8<-- [end:run]


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    before, after = [f.permute(2, 0, 1) for f in frames(device)]
    with device_memory(device):
        change = run(make_engine(device), before, after)
    print("before 1, after 8, change:", float(change[2, -1, -1]))


if __name__ == "__main__":
    main()
