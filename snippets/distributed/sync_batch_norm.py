"""Batch norm over the batches of all ranks, with its backward by hand."""

import torch
import torch.distributed as dist
from torch import nn
from torch.autograd.function import once_differentiable


# --8<-- [start:forward]
class Standardise(torch.autograd.Function):
    """(x - mean) / sqrt(var + eps), with all ranks' mean and variance."""

    @staticmethod
    def forward(ctx, x, eps, group):
        features, axes = x.size(1), [0, *range(2, x.dim())]
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        count = x.numel() // features  # of values per feature; may be 0
        mean = wide.sum(axes, keepdim=True) / max(count, 1)
        square = (wide - mean).square().sum(axes)
        own = torch.cat([mean.flatten(), square, wide.new_tensor([count])])
        rows = [own]
        if dist.is_initialized():
            rows = [own.clone() for _ in range(dist.get_world_size(group))]
            dist.all_gather(rows, own, group)
        means, squares, n = torch.stack(rows).split([features, features, 1], 1)
        total = n.sum()
        mean = (n * means).sum(0) / total
        var = (squares + n * (means - mean).square()).sum(0) / total
        column = [features] + [1] * (x.dim() - 2)
        scale = (var + eps).rsqrt().view(column)
        unit = (wide - mean.view(column)) * scale
        ctx.save_for_backward(unit, scale, total)
        ctx.axes, ctx.group = axes, group
        ctx.mark_non_differentiable(mean, var, total)
        return unit, mean, var, total

    # --8<-- [end:forward]

    # --8<-- [start:backward]
    @staticmethod
    @once_differentiable
    def backward(ctx, grad, *_):
        unit, scale, total = ctx.saved_tensors
        # --8<-- [start:sums]
        sums = torch.stack([grad.sum(ctx.axes), (grad * unit).sum(ctx.axes)])
        if dist.is_initialized():
            dist.all_reduce(sums, group=ctx.group)  # the ranks' sums, too
        # --8<-- [end:sums]
        first, second = (sums / total).view(2, *scale.shape)
        return scale * (grad - first - second * unit), None, None

    # --8<-- [end:backward]


class SyncBatchNorm(nn.modules.batchnorm._BatchNorm):
    """nn.BatchNorm1d, 2d and 3d in one, over the batches of all ranks.

    Input and output: [N, C] or [N, C, *] of the parameters' dtype, or half
    of it; N may differ from rank to rank, and be 0. Arguments, buffers and
    state_dict are nn.BatchNorm1d's; `process_group` is the world if None.
    Weight and bias get the gradient of the rank's own loss: DDP averages.
    ValueError: bad arguments or input; in training, on every rank, where the
    ranks have less than two values per feature together.
    Ioffe and Szegedy, Batch Normalization, 2015, Algorithm 1.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,  # None: average over all batches
        affine: bool = True,
        process_group: dist.ProcessGroup | None = None,
    ):
        if num_features < 1 or eps < 0 or not 0 <= (momentum or 0) <= 1:
            raise ValueError(
                "expected num_features >= 1, eps >= 0 and 0 <= momentum <= 1, "
                f"got {num_features}, {eps} and {momentum}"
            )
        super().__init__(num_features, eps, momentum, affine)
        self.process_group = process_group

    def _check_input_dim(self, x):
        own, features = self.running_mean.dtype, self.num_features
        fits = torch.promote_types(x.dtype, own) == own
        if x.dim() < 2 or x.size(1) != features or not fits:
            got = f"{list(x.shape)} {x.dtype}"
            raise ValueError(f"expected [N, {features}, *] {own}, got {got}")
        if not x.is_floating_point():
            raise ValueError(f"expected floating point, got {x.dtype}")

    # --8<-- [start:module]
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self._check_input_dim(x)
        if not self.training:
            return super().forward(x)  # with the running statistics
        unit, mean, var, n = Standardise.apply(x, self.eps, self.process_group)
        if n < 2:
            raise ValueError(f"expected 2 or more values, got {n:.0f} in all")
        with torch.no_grad():
            self.num_batches_tracked += 1
            part = self.momentum
            if part is None:
                part = 1 / self.num_batches_tracked.item()
            own = self.running_mean.dtype
            self.running_mean.lerp_(mean.to(own), part)
            self.running_var.lerp_((var * n / (n - 1)).to(own), part)
        if self.affine:
            column = [-1] + [1] * (x.dim() - 2)
            unit = unit * self.weight.view(column) + self.bias.view(column)
        return unit.to(x.dtype)

    # --8<-- [end:module]
