"""The current exporter keeps int(x.shape[0]) as the batch that comes."""

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
program = torch.onnx.export(
    Flatten().eval(),
    (torch.zeros(2, 3, 32, 32),),
    input_names=["image"],
    dynamic_shapes=({0: "batch"},),
    verbose=False,
)
session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
for batch in 2, 4:
    image = np.zeros((batch, 3, 32, 32), np.float32)
    print("batch", batch, "->", session.run(None, {"image": image})[0].shape)
# --8<-- [end:main]
