"""Which operators multiply by a weight, which are activations, and through which a value comes unchanged enough to be followed."""

from __future__ import annotations

from typing import Any

import torch

from doctorch.observe import values

PRODUCTS = {"mm": (0, 1), "addmm": (1, 2), "bmm": (0, 1), "baddbmm": (1, 2), "mv": (1, 0), "addmv": (2, 1), "linear": (0, 1)}
CONVOLUTIONS = frozenset(
    ("convolution", "_convolution", "mkldnn_convolution", "cudnn_convolution", "conv_depthwise2d", "_slow_conv2d_forward")
)
RECURRENT = frozenset(("mkldnn_rnn_layer", "_cudnn_rnn", "miopen_rnn"))
RELUS = frozenset(("relu", "relu_", "threshold", "threshold_", "clamp_min", "clamp_min_", "hardtanh", "hardtanh_", "clamp", "clamp_"))
SQUASHES = {"sigmoid": "sigmoid", "sigmoid_": "sigmoid", "tanh": "tanh", "tanh_": "tanh"}
SUMS = frozenset(("add", "add_", "sub", "sub_"))
SHAPES = frozenset(
    ("view", "_unsafe_view", "reshape", "t", "transpose", "permute", "squeeze", "unsqueeze", "expand", "slice", "select", "alias")
    + ("clone", "_to_copy", "contiguous", "split", "unbind", "flatten", "as_strided", "_reshape_alias", "unfold", "split_with_sizes")
)
NORMS = frozenset(
    ("native_batch_norm", "_native_batch_norm_legit", "cudnn_batch_norm", "miopen_batch_norm", "batch_norm_with_update")
    + ("native_layer_norm", "native_group_norm", "_batch_norm_with_update", "_batch_norm_impl_index", "_fused_rms_norm")
)
THINNING = frozenset(
    ("max_pool2d_with_indices", "max_pool2d", "avg_pool2d", "_adaptive_avg_pool2d", "adaptive_avg_pool2d", "mean", "sum", "amax", "cat")
    + ("native_dropout", "mul", "div", "mul_", "div_", "avg_pool1d", "max_pool1d", "constant_pad_nd", "index_select", "stack", "gather")
    + ("max_pool3d_with_indices", "_adaptive_avg_pool3d", "avg_pool3d", "add", "adaptive_max_pool2d")
)
"""Through these what an activation gave comes to the next layer, if no second value that depends on parameters joins."""


def first(out: Any) -> Any:
    """The first of several outputs."""
    return out[0] if type(out) in (tuple, list) and out else out


def plain(tensor: Any) -> bool:
    """Whether it is a dense tensor of floating point numbers whose values can be read."""
    return (
        isinstance(tensor, torch.Tensor)
        and values.readable(tensor)
        and tensor.layout is torch.strided
        and tensor.is_floating_point()
        and tensor.ndim > 0
        and tensor.numel() > 0
    )


def is_relu(name: str, args: Any, kwargs: Any) -> bool:
    """Whether the operator cuts off at zero from below."""
    if name.startswith("relu"):
        return True
    if name.startswith(("clamp", "hardtanh")):
        low = args[1] if len(args) > 1 else kwargs.get("min", kwargs.get("min_val"))
        return type(low) in (int, float) and low == 0
    return len(args) > 2 and args[1] == 0 and args[2] == 0


def dim_in(param: torch.Tensor, used: torch.Tensor, dim: int) -> int:
    """The dimension of the parameter that a dimension of a view of it is: they have the same stride."""
    if param.ndim == used.ndim and param.stride() == used.stride() and param.shape == used.shape:
        return dim
    if param.ndim == used.ndim == 2 and param.shape == used.shape[::-1]:
        return 1 - dim
    matching = [d for d in range(param.ndim) if param.shape[d] == used.shape[dim]]
    return matching[-1] if matching else 0


def moved(unit_dim: int, name: str, value: Any, out: Any) -> int:
    """Where the units lie after a change of shape: behind a flattening of channels and places they count as one more dimension."""
    tensor = first(out)
    if not isinstance(tensor, torch.Tensor) or unit_dim == -1:
        return unit_dim
    if name in ("permute", "transpose"):
        size = value.shape[unit_dim]
        return -1 if tensor.shape[-1] == size else unit_dim
    return unit_dim if tensor.ndim > unit_dim and tensor.shape[unit_dim] == value.shape[unit_dim] else -1


def groups(module: Any, weight: torch.Tensor) -> int:
    """Blocks of a weight that are layers of their own: the gates of a recurrent layer, query, key and value."""
    if isinstance(module, (torch.nn.RNNBase, torch.nn.RNNCellBase)):
        name = type(module).__name__
        return 4 if name.startswith("LSTM") else 3 if name.startswith("GRU") else 1
    if isinstance(module, torch.nn.MultiheadAttention) and weight.shape[0] == 3 * module.embed_dim:
        return 3
    return 1
