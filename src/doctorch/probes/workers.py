"""In a copy: loaders fetch in the copy itself. The worker processes belong to the training, and their queues are shared with it."""

from __future__ import annotations

from typing import Any

import torch.utils.data.dataloader as dataloader_module
from torch.utils.data import DataLoader


def take_over() -> None:
    """Replace what would reach the training's worker processes. An epoch that is under way begins anew."""
    several: Any = dataloader_module._MultiProcessingDataLoaderIter
    several._shutdown_workers = _leave
    several.__del__ = _leave
    several._next_data = _next_data
    owner: Any = DataLoader
    owner._get_iterator = _get_iterator


def _leave(*args: Any) -> None:
    """Nothing is told to the workers."""


def _single(loader: Any) -> Any:
    state = vars(loader)
    state.update(num_workers=0, prefetch_factor=None, persistent_workers=False, timeout=0, _iterator=None)
    state["_DataLoader__multiprocessing_context"] = None
    return dataloader_module._SingleProcessDataLoaderIter(loader)


def _get_iterator(loader: Any) -> Any:
    return _single(loader)


def _next_data(iterator: Any) -> Any:
    own = getattr(iterator, "_doctorch_single", None)
    if own is None:
        loader = _loader_of(iterator)
        own = iterator._doctorch_single = _single(loader)
    return own._next_data()


def _loader_of(iterator: Any) -> Any:
    watch = getattr(iterator, "_doctorch_watch", None)
    loader = watch.ref() if watch is not None and watch.ref is not None else None
    if loader is None:
        raise RuntimeError("the loader of this iterator is not known")
    return loader
