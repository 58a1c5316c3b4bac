"""Ask for opset 11, as old scripts do, and get another one."""

import torch
from torch import nn

# --8<-- [start:main]
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1)).eval()
program = torch.onnx.export(
    model,
    (torch.zeros(2, 3, 32, 32),),
    opset_version=11,
    verbose=False,
)
print("got opset", program.model_proto.opset_import[0].version)
# --8<-- [end:main]
