"""Clipping of gradients, and loss scaling: how much is cut, and what a GradScaler skips."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from doctorch.observe import values
from doctorch.observe.lines import Site, here
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

MAX_TRACE = 200


class Clipping:
    """Wraps ``clip_grad_norm_``, ``clip_grad_value_`` and the GradScaler."""

    def __init__(self, session: Session, note: Callable[[str, Site | None], None]) -> None:
        self.session = session
        self.note = note
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.scalers: dict[int, str] = {}

    def install(self) -> None:
        """Put the wrappers in place."""
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            self._wrap_clip(name)
        self._wrap_scaler(torch.amp.GradScaler)

    def _followed(self) -> bool:
        return not self.session.light and get_ident() == self.session.thread

    # ---- clipping

    def _wrap_clip(self, name: str) -> None:
        original = getattr(torch.nn.utils, name)
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling() or not self._followed():
                return original(parameters, *args, **kwargs)
            if not isinstance(parameters, torch.Tensor):
                parameters = list(parameters)
            size = None
            try:
                if name == "clip_grad_value_":
                    size = self._mean_size(parameters)
            except Exception:
                self.session.recorder.failed()
            result = original(parameters, *args, **kwargs)
            try:
                self._clipped(name, _limit(args, kwargs), result, size)
            except Exception:
                self.session.recorder.failed()
            return result

        put(torch.nn.utils, name, clip)
        put(torch.nn.utils.clip_grad, name, clip)

    def _mean_size(self, parameters: Any) -> torch.Tensor | None:
        """Mean absolute value of the gradients that are about to be clipped by value: of the tensor where it is largest."""
        tensors = [parameters] if isinstance(parameters, torch.Tensor) else parameters
        grads = [t.grad for t in tensors if t.grad is not None and t.grad.layout is torch.strided and t.grad.numel()]
        if not grads or not values.readable(grads[0]):
            return None
        with torch.no_grad():
            muted, self.session.tape.muted = self.session.tape.muted, True
            try:
                some = grads[:: max(1, len(grads) // 8)]
                return torch.stack([values.strided(g).abs().mean().float() for g in some]).max()
            finally:
                self.session.tape.muted = muted

    def _clipped(self, name: str, limit: float, norm: Any, size: torch.Tensor | None) -> None:
        site = here(2)
        recorder = self.session.recorder
        self.note("C", site)
        entry = recorder.fact(
            "clip",
            f"{name}@{site.key if site else '?'}",
            site,
            lambda: {"function": name, "checked": 0, "clipped": 0, "ratio_sum": 0.0, "norm_last": None, "after_backward": 0},
        )
        entry.count += 1
        entry.data.update(limit=limit, count=entry.count)
        seen = norm if isinstance(norm, torch.Tensor) else size
        if seen is not None and values.readable(seen):

            def use(found: list[float]) -> None:
                data = entry.data
                data["checked"] += 1
                data["clipped"] += found[0] > limit
                data["ratio_sum"] += min(1.0, limit / found[0]) if found[0] > 0 else 1.0
                data["norm_last"] = found[0]
                recorder.touch(entry)

            values.read_later(recorder, [seen.detach()], use)
        recorder.touch(entry)

    # ---- loss scaling

    def _wrap_scaler(self, cls: Any) -> None:
        unscale = cls.unscale_

        @functools.wraps(unscale)
        def unscale_(scaler: Any, optimizer: Optimizer) -> Any:
            result = unscale(scaler, optimizer)
            if self.session.full and get_ident() == self.session.thread:
                self.note("U", here(1))
            return result

        put(cls, "unscale_", unscale_)
        original = cls.step

        @functools.wraps(original)
        def step(scaler: Any, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
            if get_ident() != self.session.thread or not scaler.is_enabled():
                return original(scaler, optimizer, *args, **kwargs)
            if self.session.full:
                self.note("G", here(1))
            watch = self.session.optimizers.get(id(optimizer))
            before = watch.steps if watch is not None else -1
            try:
                return original(scaler, optimizer, *args, **kwargs)
            finally:
                try:
                    self._asked(scaler, watch is not None and watch.steps == before)
                except Exception:
                    self.session.recorder.failed()

        put(cls, "step", step)

    def _asked(self, scaler: Any, skipped: bool) -> None:
        recorder = self.session.recorder
        key = self.scalers.get(id(scaler))
        if key is None:
            key = self.scalers[id(scaler)] = str(len(self.scalers))
            site = here(2)
            recorder.fact("scaler", key, site, lambda: {"asked": 0, "skipped": 0, "skipped_last": 0, "trace": []})
        entry = recorder.fact("scaler", key)
        data = entry.data
        entry.count += 1
        data["asked"] += 1
        if skipped:
            data["skipped"] += 1
            data["skipped_last"] = data["asked"]
        elif not self.session.full:
            return
        recorder.touch(entry)
        scale = getattr(scaler, "_scale", None)
        if not isinstance(scale, torch.Tensor) or not values.readable(scale):
            return
        trace, asked = data["trace"], data["asked"]

        def use(found: list[float]) -> None:
            if (not trace or trace[-1][1] != found[0]) and len(trace) < MAX_TRACE:
                trace.append([asked, found[0]])
                recorder.touch(entry)

        values.read_later(recorder, [scale], use)


def _limit(args: Any, kwargs: dict[str, Any]) -> float:
    """What gradients are clipped to."""
    return float(args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value", float("nan"))))
