"""The old exporter traces: int(x.shape[0]) is the example's 2 for ever."""

import io

import numpy as np
import onnxruntime
import torch
from torch import nn


# --8<-- [start:model]
class Flatten(nn.Module):
    def forward(self, x):
        return x.reshape(int(x.shape[0]), -1)


# --8<-- [end:model]

# --8<-- [start:main]
file = io.BytesIO()
torch.onnx.export(
    Flatten().eval(),
    (torch.zeros(2, 3, 32, 32),),
    file,
    input_names=["image"],
    dynamic_axes={"image": {0: "batch"}},
    dynamo=False,
)
session = onnxruntime.InferenceSession(file.getvalue())
for batch in 2, 4:
    image = np.zeros((batch, 3, 32, 32), np.float32)
    print("batch", batch, "->", session.run(None, {"image": image})[0].shape)
# --8<-- [end:main]
