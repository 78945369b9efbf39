"""DataLoader workers: what kind of loader it is, and the watched loop that runs inside a worker process."""

from __future__ import annotations

import inspect
from typing import Any

import torch.utils.data

from doctorch.observe import lines
from doctorch.observe.params import class_site
from doctorch.observe.recorder import current
from doctorch.observe.sampling import LoaderWatch, Sampler

MAX_INSIDE = 20
"""Callables looked at on the way to the function that collates."""


def describe(loader: Any, built: lines.Site | None) -> dict[str, Any]:
    """What kind of loader it is."""
    dataset = getattr(loader, "dataset", None)
    inner: Any = dataset
    for _ in range(5):  # Subset, random_split and the like hand through
        if type(inner).__module__.startswith("torch.") and hasattr(inner, "dataset"):
            inner = inner.dataset
    site = class_site(type(inner))
    line = None
    if site is not None:
        line = site.get("getitem_line") or site.get("next_line") or site.get("iter_line") or site["line"]
    try:
        length = len(dataset)  # type: ignore[arg-type]
    except Exception:
        length = None
    sampler = getattr(loader, "sampler", None)
    collate = getattr(loader, "collate_fn", None)
    return {
        "dataset_cls": type(inner).__name__,
        "dataset_module": type(inner).__module__,
        "dataset_site": {"file": site["file"], "line": line} if site is not None else None,
        "built_site": built.as_data if built is not None else None,
        "length": length,
        "batch_size": getattr(loader, "batch_size", None),
        "num_workers": getattr(loader, "num_workers", None),
        "persistent_workers": getattr(loader, "persistent_workers", None),
        "pin_memory": getattr(loader, "pin_memory", None),
        "sampler": type(sampler).__name__ if sampler is not None else None,
        "shuffles": type(sampler).__name__ in ("RandomSampler", "WeightedRandomSampler", "SubsetRandomSampler", "DistributedSampler"),
        "collate_site": _callable_site(collate),
        "collate": f"{getattr(collate, '__module__', '')}.{getattr(collate, '__qualname__', type(collate).__qualname__)}",
        "in_workers": False,
    }


def _callable_site(function: Any) -> dict[str, Any] | None:
    """Where the user's function stands that makes samples into a batch, also inside objects of a package that call it; None for others."""
    waiting, seen = [function], 0
    while waiting and seen < MAX_INSIDE:
        one = waiting.pop(0)
        seen += 1
        one = getattr(one, "func", one)
        for candidate in (one, vars(type(one)).get("__call__")):
            code = getattr(inspect.unwrap(candidate) if callable(candidate) else candidate, "__code__", None)
            if code is not None and lines.is_user_code(code):
                return {"file": lines.absolute(code.co_filename), "line": code.co_firstlineno}
        waiting += [value for value in getattr(one, "__dict__", {}).values() if callable(value)]
    return None


def wrap_worker_loop() -> None:
    """Put our loop where torch looks for it."""
    worker = torch.utils.data._utils.worker
    if worker._worker_loop is not worker_loop:
        _original.append(worker._worker_loop)
        worker._worker_loop = worker_loop


_original: list[Any] = []


def worker_loop(*args: Any, **kwargs: Any) -> Any:
    """Stands for torch's worker loop in the worker process: the same loop, with the fetches watched.

    A module-level function, so that it can be sent to workers started by spawn or forkserver.
    """
    from doctorch.observe import installed

    observer = installed()
    if observer is None or not _original:
        return torch.utils.data._utils.worker._worker_loop(*args, **kwargs)
    try:
        _watch_worker(observer, args)
    except Exception:
        current().failed()
    return _original[0](*args, **kwargs)


def _watch_worker(observer: Any, args: tuple[Any, ...]) -> None:
    recorder = current()
    recorder.role = "loader-worker"
    recorder.ensure_started()
    loaders = observer.loaders
    loaders.sampler = Sampler(recorder)
    holder = args[1]
    dataset = holder[0] if isinstance(holder, list) else holder

    class Stand:
        pass

    stand = Stand()
    stand.dataset = dataset  # type: ignore[attr-defined]
    data = describe(stand, None)
    data["in_workers"] = True
    entry = recorder.fact("loader", "worker", None, lambda: data)
    watch = LoaderWatch(None, "worker", entry)
    loaders.watches = {0: watch}
    loaders.fetching = watch
