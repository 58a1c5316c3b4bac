"""dynamic_shapes keyed by the ONNX input's name, not forward's argument."""

import torch
from torch import nn

# --8<-- [start:main]
try:
    torch.onnx.export(
        nn.MaxPool2d(2).eval(),  # its forward(self, input)
        (torch.zeros(2, 3, 32, 32),),
        input_names=["image"],
        dynamic_shapes={"image": {0: "batch"}},
        verbose=False,
    )
except torch.onnx.OnnxExporterError as error:
    print(str(error.__cause__).partition(". ")[0])
# --8<-- [end:main]
