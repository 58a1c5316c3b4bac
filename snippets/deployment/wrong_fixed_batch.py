"""Without dynamic_shapes every size of the example is part of the model."""

import numpy as np
import onnxruntime
import torch
from torch import nn

# --8<-- [start:main]
program = torch.onnx.export(
    nn.MaxPool2d(2).eval(),
    (torch.zeros(2, 3, 32, 32),),
    input_names=["image"],
    verbose=False,
)
session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
try:
    session.run(None, {"image": np.zeros((4, 3, 32, 32), np.float32)})
except Exception as error:
    print(error)
# --8<-- [end:main]
