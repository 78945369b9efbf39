"""Small reductions over samples of large tensors: views of a few rows and columns, so that no temporary is worth mentioning."""

from __future__ import annotations

import torch

ROWS, SAMPLES, UNITS, COLUMNS = 64, 16, 128, 32
"""Elements looked at: rows of an output and, where it has places besides, samples; its units; weights of a unit. Rows times units bounds
every temporary (32 KiB)."""
WHOLE = 4_000_000
"""Elements over which a unit's largest value is taken without leaving samples out."""
KNEE = {"tanh": 2.0, "sigmoid": 4.0}
"""|z| beyond which the slope is below 0.08 of its largest: tanh 1 - tanh(2)^2 = 0.071, sigmoid 4 s (1 - s) = 0.071 at 4."""


def spread_out(tensor: torch.Tensor, dim: int, limit: int) -> torch.Tensor:
    """At most ``limit`` slices along a dimension, evenly from between its ends: a view."""
    step = -(-tensor.shape[dim] // limit)
    return tensor if step <= 1 else tensor[(slice(None),) * (dim % tensor.ndim) + (slice(step // 2, None, step),)]


def by_unit(tensor: torch.Tensor, unit_dim: int) -> torch.Tensor:
    """A sample of an output as float32 ``(rows, units)``."""
    tensor = spread_out(tensor.detach().movedim(unit_dim, -1), -1, UNITS)
    left = ROWS
    for dim in range(tensor.ndim - 1):
        last = dim == tensor.ndim - 2
        tensor = spread_out(tensor, dim, max(1, left if last else min(left, SAMPLES)))
        left //= max(1, tensor.shape[dim])
    return tensor.reshape(-1, tensor.shape[-1]).float()


def spread(sample: torch.Tensor) -> torch.Tensor:
    """``[mean, deviation, mean deviation of a unit over the samples]`` of a sample ``(rows, units)``."""
    within = sample.std(0, correction=0).mean()
    return torch.stack((sample.mean(), sample.std(correction=0), within))


def largest(output: torch.Tensor, unit_dim: int) -> torch.Tensor:
    """The largest value of each unit (every n-th, where there are many) over all samples and places."""
    output = spread_out(output.detach().movedim(unit_dim, -1), -1, UNITS)
    if output.ndim == 1:
        return output
    if output.numel() > WHOLE:
        output = spread_out(output, 0, max(1, WHOLE * output.shape[0] // output.numel()))
    return output.amax(tuple(range(output.ndim - 1)))


def slope(output: torch.Tensor, unit_dim: int, kind: str) -> torch.Tensor:
    """``[mean slope, share beyond the knee]`` of sigmoid or tanh, from its output; the slope relative to its largest."""
    sample = by_unit(output, unit_dim)
    steep = 1 - sample.square() if kind == "tanh" else 4 * sample * (1 - sample)
    return torch.stack((steep.mean(), (steep < 0.0707).float().mean()))


def weight_sample(weight: torch.Tensor, unit_dim: int, groups: int) -> torch.Tensor:
    """A sample of a weight as float32 ``(groups, units, inputs)``."""
    weight = weight.detach().movedim(unit_dim, 0)
    weight = weight.unflatten(0, (groups, weight.shape[0] // groups))  # type: ignore[no-untyped-call]
    weight = spread_out(weight, 1, UNITS)
    left = COLUMNS
    for dim in range(2, weight.ndim):
        weight = spread_out(weight, dim, max(1, left))
        left //= max(1, weight.shape[dim])
    return weight.reshape(weight.shape[0], weight.shape[1], -1).float()


def unlike(sample: torch.Tensor) -> torch.Tensor:
    """``[root mean square, largest magnitude, largest difference of a unit from the first of its group]`` of a weight's sample."""
    return torch.stack((sample.square().mean().sqrt(), sample.abs().amax(), (sample - sample[:, :1]).abs().amax()))


def bias_reach(gradient: torch.Tensor, groups: int) -> torch.Tensor:
    """The gradient of a bias at the units of :func:`weight_sample`: exactly zero where nothing reached the unit."""
    return spread_out(gradient.detach().reshape(groups, -1), 1, UNITS).float()
