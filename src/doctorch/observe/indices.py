"""Indices against the tables they point into: embeddings, class labels, gather and scatter.

On the CPU the operator itself checks and raises, so good calls cost nothing: the look is taken when it raised. On an
accelerator the failure comes later and names nothing, so the bounds of an integer tensor are taken on the CPU before
its copy, and of those computed on the device by a minimum and maximum queued before the operator on sampled calls.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe.lines import Site, here
from doctorch.observe.values import read_later, readable

if TYPE_CHECKING:
    from doctorch.observe.recorder import Recorder

MAX_BOUNDS = 4096
MAX_ELEMENTS = 4_000_000
"""Integer tensors larger than this are not scanned before their copy."""
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)

_bounds: dict[int, tuple[weakref.ref[Any], int, int]] = {}


def report(
    recorder: Recorder, function: str, index: torch.Tensor | None, size: int, *, lowest: int = 0, ignore: int | None = None,
    raised: bool = True, site: Site | None = None, extra: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Record what is wrong with an index tensor. Reads the values: only for CPU tensors, or after a failure."""
    site = site or here(2)
    data: dict[str, Any] = {"function": function, "size": size, "ignore_index": ignore, "raised": raised, **(extra or {})}
    if index is not None:
        data.update(shape=list(index.shape), device=str(index.device), dtype=str(index.dtype))
        if index.device.type == "cpu" and readable(index):
            found = _bad_values(index, size, lowest, ignore, recorder.batches.indices_of(index))
            if found is None:
                return
            data.update(found)
    key = f"{function}@{site.key if site else '?'}"
    entry = recorder.fact("index_error", key, site, dict)
    entry.count += 1
    if entry.count == 1 or raised:
        entry.data.update(data)
    recorder.touch(entry)
    if not raised:
        recorder.writer.flush_now()  # the device may take the process with it a moment later


def _bad_values(index: torch.Tensor, size: int, lowest: int, ignore: int | None, drawn: Any) -> dict[str, Any] | None:
    with torch.no_grad():
        values = index.detach().reshape(-1).to(torch.int64)
        bad = (values >= size) | (values < lowest)
        if ignore is not None:
            bad &= values != ignore
        count = int(bad.sum())
        if not count:
            return None
        where = bad.reshape(index.shape).nonzero()
        number = len(drawn) if isinstance(drawn, list) and all(type(one) is int for one in drawn) else None
        # Sequences may come first: then the samples are in the second dimension.
        dim = 1 if number is not None and index.ndim > 1 and index.shape[0] != number and index.shape[1] == number else 0
        rows = sorted({int(r) for r in where[:, dim].tolist()}) if index.ndim else [0]
        known = index.ndim > 0 and number == index.shape[dim]
        return {
            "min": int(values.min()),
            "max": int(values.max()),
            "bad": count,
            "total": values.numel(),
            "rows": rows[:5],
            "n_rows": len(rows),
            "batch": int(index.shape[dim]) if index.ndim else 1,
            "items": [drawn[row] for row in rows[:5]] if known else [],
            "values": sorted(set(values[bad][:1000].tolist()))[:8],
            "labels": sorted(set(values[:10000].tolist()))[:12],
            "counts_up": _counts_up(index),
        }


def _counts_up(index: torch.Tensor) -> bool:
    """Whether each row counts up by one from 0: positions, not tokens."""
    rows = index.detach().reshape(-1, index.shape[-1])[:8] if index.ndim else index.reshape(1, -1)
    return rows.shape[1] > 2 and bool((rows == torch.arange(rows.shape[1], device=rows.device)).all())


def copied(source: torch.Tensor, result: torch.Tensor) -> None:
    """An integer CPU tensor was copied to an accelerator: remember its bounds for the operators that will use it."""
    if source.dtype not in INTEGERS or not readable(source) or not 0 < source.numel() <= MAX_ELEMENTS:
        return
    low, high = torch.aminmax(source)
    storage = result.untyped_storage()
    if len(_bounds) > MAX_BOUNDS:
        for key in [k for k, (ref, _, _) in _bounds.items() if ref() is None]:
            del _bounds[key]
    _bounds[storage._cdata] = (weakref.ref(storage), int(low), int(high))


def before_device_operator(
    recorder: Recorder, function: str, index: torch.Tensor, size: int, sampled: bool, lowest: int = 0, ignore: int | None = None,
    extra: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Check an index on an accelerator without waiting for the device."""
    site = here(2)

    def judge(low: int, high: int) -> None:
        outside = high >= size or (low < lowest and low != ignore)
        if outside:
            found = {"min": low, "max": high, "bad": None, "total": index_numel, **(extra or {})}
            report(recorder, function, None, size, lowest=lowest, ignore=ignore, raised=False, site=site, extra=found)

    index_numel = index.numel()
    known = _bounds.get(index.untyped_storage()._cdata)
    if known is not None and known[0]() is not None:
        judge(known[1], known[2])
    elif sampled and index_numel:
        with torch.no_grad():
            low, high = torch.aminmax(index.detach())
            read_later(recorder, [low, high], lambda values: judge(int(values[0]), int(values[1])))


def operator_failed(recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """An aten operator raised during a deep step: if it takes indices, look at them."""
    packet = getattr(func, "_overloadpacket", None)
    name = packet.__name__ if packet is not None else ""
    if name in ("gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "index_select", "index_add", "index_add_"):
        table, dim, index = args[0], args[1], args[2]
        size = table.shape[dim] if table.ndim else 1
        report(recorder, name.rstrip("_"), index, size, extra={"dim": dim, "table_shape": list(table.shape)})
    elif name in ("index", "index_put", "index_put_"):
        table, many = args[0], args[1]
        for dim, index in enumerate(many):
            if isinstance(index, torch.Tensor) and index.dtype in (torch.int64, torch.int32) and dim < table.ndim:
                size = table.shape[dim]
                report(recorder, "index", index, size, lowest=-size, extra={"dim": dim, "table_shape": list(table.shape)})
