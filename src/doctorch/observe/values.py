"""Read numbers out of tensors without making the device wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from doctorch.observe.recorder import Recorder

LAG = 3
"""Steps after which a copied scalar is looked at; by then the device has passed it without being waited for."""

item = torch.Tensor.item
"""The method as torch made it, whatever is put around it later."""

_waiting: list[tuple[int, list[torch.Tensor], Any, Callable[[list[float]], None]]] = []


def readable(tensor: torch.Tensor) -> bool:
    """Whether the tensor has values to read: not meta or fake, not one that a function transform (vmap, grad) has wrapped."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.device.type != "meta"
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
    )


def strided(tensor: torch.Tensor, limit: int = 256) -> torch.Tensor:
    """At most ``limit`` elements spread over a dense tensor, as a view wherever it is contiguous in some order."""
    tensor = tensor.detach()
    number = tensor.numel()
    stride = max(1, number // limit)
    if tensor.is_contiguous() or (tensor.ndim == 4 and tensor.is_contiguous(memory_format=torch.channels_last)):
        return tensor.as_strided((min(limit, number // stride),), (stride,), tensor.storage_offset())
    return tensor.flatten()[::stride][:limit]


def read_later(recorder: Recorder, scalars: Sequence[torch.Tensor], use: Callable[[list[float]], None]) -> None:
    """Call ``use`` with the values: at once for CPU tensors, else some steps later from a copy that did not block.

    The device scalars are freed as soon as their copy is queued; the caching allocator keeps the order within the stream.
    """
    if all(t.device.type == "cpu" for t in scalars):
        use([float(item(t.detach())) for t in scalars])
        return
    copies, event = [], None
    for scalar in scalars:
        host = torch.empty((), dtype=scalar.dtype, pin_memory=scalar.device.type == "cuda")
        host.copy_(scalar.detach(), non_blocking=True)
        copies.append(host)
    if scalars[0].device.type == "cuda":
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]
        event.record(torch.cuda.current_stream(scalars[0].device))
    _waiting.append((recorder.steps, copies, event, use))


def read_lists_later(recorder: Recorder, tensors: Sequence[torch.Tensor], use: Callable[[list[list[float]]], None]) -> None:
    """As :func:`read_later`, for small tensors of one device that are read together; each becomes a flat list."""
    flat = [t.detach().reshape(-1) for t in tensors]
    if all(t.device.type == "cpu" for t in flat):
        use([[float(value) for value in t.tolist()] for t in flat])
        return
    sizes = [t.numel() for t in flat]
    whole = torch.cat([t.float() for t in flat])
    host = torch.empty(whole.shape, dtype=whole.dtype, pin_memory=whole.device.type == "cuda")
    host.copy_(whole, non_blocking=True)
    event = None
    if whole.device.type == "cuda":
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]
        event.record(torch.cuda.current_stream(whole.device))

    def split(found: list[float]) -> None:
        ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
        use([found[end - size : end] for end, size in zip(ends, sizes, strict=True)])

    _waiting.append((recorder.steps, [host], event, split))


def waiting() -> bool:
    """Whether copied scalars are still to be looked at."""
    return bool(_waiting)


def settle(recorder: Recorder, everything: bool = False) -> None:
    """Use what has arrived. ``everything`` at the end of the process, when waiting costs the training nothing."""
    while _waiting:
        step, copies, event, use = _waiting[0]
        if not everything and (recorder.steps - step < LAG or (event is not None and not event.query())):
            return
        _waiting.pop(0)
        try:
            if everything and event is not None:
                event.synchronize()
            use([float(value) for t in copies for value in t.reshape(-1).tolist()])
        except Exception:
            recorder.failed()
