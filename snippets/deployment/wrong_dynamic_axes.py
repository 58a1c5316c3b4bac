"""dynamic_axes of the old exporter, with a name that is not an input's."""

import torch
from torch import nn

# --8<-- [start:main]
torch.onnx.export(
    nn.MaxPool2d(2).eval(),
    (torch.zeros(2, 3, 32, 32),),
    input_names=["image"],
    dynamic_axes={"images": {0: "batch"}},
    verbose=False,
)
# --8<-- [end:main]
