"""The course of learning rates, and what schedulers do to it."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch
from torch.optim import lr_scheduler

from doctorch.observe import values
from doctorch.observe.lines import Site, here
from doctorch.observe.optimizers import OptimizerWatch
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

MAX_TRACE = 400
"""Points kept of a rate's course; when full, every second one is dropped."""
CHANGED = 0.02
"""A rate is noted when it changed by this share since it was last noted."""
SITES_SEEN = 3
"""Steps of a scheduler whose line is looked up; later only on followed steps."""


class _Warnings:
    """torch's scheduler module warns with the line of its caller; our wrapper must not be taken for it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(warnings, name)

    def warn(self, message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
        """``warnings.warn`` with our own frames left out of the count."""
        frame, left, level = sys._getframe(1), stacklevel, stacklevel + 1
        while left > 1 and frame.f_back is not None:
            frame = frame.f_back
            if frame.f_code.co_filename == __file__:
                level += 1
            else:
                left -= 1
        warnings.warn(message, category, level, *args, **kwargs)


class Schedules:
    """Traces of rates by optimizer, and a fact for each scheduler that stepped."""

    def __init__(self, session: Session, note: Callable[[str, Site | None], None]) -> None:
        self.session = session
        self.note = note
        self.depth = 0
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.known: dict[int, tuple[weakref.ref[Any], str]] = {}
        self.number = 0
        self.traces: dict[str, list[tuple[int, float]]] = {}

    # ---- rates

    def rates(self, number: int) -> None:
        """On every step: has a rate changed?"""
        for watch in list(self.session.optimizers.values()):
            optimizer = watch.ref()
            if optimizer is None:
                continue
            rate = optimizer.param_groups[0].get("lr")
            if rate is not watch.last_rate and isinstance(rate, (int, float)):
                self._rate_changed(watch, number, float(rate))

    def _rate_changed(self, watch: OptimizerWatch, number: int, rate: float) -> None:
        last = watch.last_rate
        if last is not None and abs(rate - last) <= CHANGED * abs(last):
            return
        watch.last_rate = rate
        trace = self.traces.setdefault(watch.key, [])
        trace.append((number, rate))
        if len(trace) > MAX_TRACE:
            del trace[1:-1:2]
        watch.entry.data["rate_trace"] = trace
        self.session.recorder.touch(watch.entry)

    # ---- schedulers

    def install(self) -> None:
        """Wrap the ``step`` of every scheduler, and the construction of those that do not step when they are built."""
        put(lr_scheduler, "warnings", _Warnings())
        for cls in list(vars(lr_scheduler).values()):
            if inspect.isclass(cls) and "step" in vars(cls) and hasattr(cls, "state_dict"):
                self._wrap_step(cls)
        for cls in (lr_scheduler.ReduceLROnPlateau, lr_scheduler.SequentialLR, lr_scheduler.ChainedScheduler):
            self._wrap_init(cls)

    def _wrap_init(self, cls: Any) -> None:
        original = cls.__init__

        @functools.wraps(original)
        def __init__(scheduler: Any, *args: Any, **kwargs: Any) -> None:
            original(scheduler, *args, **kwargs)
            self._guarded(self._built, scheduler)

        put(cls, "__init__", __init__)

    def _wrap_step(self, cls: Any) -> None:
        original = cls.step

        @functools.wraps(original)
        def step(scheduler: Any, *args: Any, **kwargs: Any) -> Any:
            if self.depth or get_ident() != self.session.thread:
                return original(scheduler, *args, **kwargs)
            self.depth = 1
            try:
                return original(scheduler, *args, **kwargs)
            finally:
                self.depth = 0
                # A scheduler steps once when it is built.
                self._guarded(self._built if sys._getframe(1).f_code.co_name == "_initial_step" else self._stepped, scheduler)
                if isinstance(scheduler, lr_scheduler.ReduceLROnPlateau):
                    self._guarded(functools.partial(self._judged, kwargs.get("metrics", args[0] if args else None)), scheduler)

        put(cls, "step", step)

    def _guarded(self, handler: Callable[[Any], object], scheduler: Any) -> None:
        try:
            handler(scheduler)
        except Exception:
            self.session.recorder.failed()

    def _built(self, scheduler: Any) -> str:
        found = self.known.get(id(scheduler))
        if found is not None and found[0]() is scheduler:
            return found[1]
        key = str(self.number)
        self.number += 1
        self.known[id(scheduler)] = (weakref.ref(scheduler), key)
        site = here(3)
        entry = self.session.recorder.fact("scheduler", key, site, lambda: {"cls": type(scheduler).__name__, "steps": 0, "early": 0})
        watch = self.session.optimizers.get(id(getattr(scheduler, "optimizer", None)))
        entry.data.update(
            optimizer=watch.key if watch is not None else None,
            built_site=site.as_data if site is not None else None,
            settings=_settings(scheduler),
            step_site=None,
            early_site=None,
        )
        self.session.recorder.touch(entry)
        return key

    def _judged(self, metric: Any, scheduler: Any) -> None:
        """What a scheduler that waits for a plateau was shown."""
        if isinstance(metric, torch.Tensor):
            metric = float(values.item(metric)) if metric.is_cpu and values.readable(metric) and metric.numel() == 1 else None
        if isinstance(metric, (int, float)):
            entry = self.session.recorder.fact("scheduler", self._built(scheduler))
            shown = entry.data.setdefault("metrics", [])
            if len(shown) < MAX_TRACE:
                shown.append(float(metric))
                self.session.recorder.touch(entry)

    def _stepped(self, scheduler: Any) -> None:
        session = self.session
        recorder = session.recorder
        entry = recorder.fact("scheduler", self._built(scheduler))
        data = entry.data
        entry.count += 1
        data["steps"] += 1
        early = not recorder.steps
        if entry.count <= SITES_SEEN or session.full:
            site = here(3)
            data["step_site"] = site.as_data if site is not None else None
            if early:
                data["early_site"] = data["step_site"]
            if session.full:
                self.note("L", site)
        data["early"] += early
        recorder.touch(entry)


def _settings(scheduler: Any) -> dict[str, float]:
    """The numbers that a scheduler was built with."""
    skipped = ("last_epoch", "verbose", "base_lrs")
    found = {name: value for name, value in vars(scheduler).items() if type(value) in (int, float) and not name.startswith("_")}
    return {name: value for name, value in found.items() if name not in skipped}
