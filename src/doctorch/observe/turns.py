"""The order of calls inside a turn of the loop, the course of learning rates, and what schedulers and clipping do."""

from __future__ import annotations

import functools
import inspect
import itertools
from threading import get_ident
from typing import Any

import torch
from torch.optim import lr_scheduler
from torch.optim.optimizer import Optimizer

from doctorch.observe import values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here
from doctorch.observe.optimizers import OptimizerWatch
from doctorch.observe.wrap import put

MAX_CALLS = 600
"""Calls noted of one turn; longer ones are cut."""
MAX_SHOWN = 40
MAX_PATTERNS = 40
MAX_TRACE = 400
"""Points kept of a rate's course; when full, every second one is dropped."""
CHANGED = 0.02
"""A rate is noted when it changed by this share since it was last noted."""


def order(letters: list[str]) -> dict[str, Any]:
    """What the order of calls says: ``backwards``; ``cleared_between``, pairs of backwards with a clearing between them;
    ``from_forwards``, each backward has a forward of its own and nothing is cleared after the last; ``forward_last``,
    a model was called after the last backward; ``clipped_late``, gradients were clipped before any backward of the turn;
    ``clipped_scaled``, they were clipped while still scaled."""
    places = [at for at, letter in enumerate(letters) if letter == "B"]
    pairs = list(itertools.pairwise(places))
    last = max((at for at, letter in enumerate(letters) if letter in "Bb"), default=-1)
    forwards = [at for at, letter in enumerate(letters) if letter == "F"]
    clips = [at for at, letter in enumerate(letters) if letter == "C"]
    scaled = "G" in letters
    return {
        "backwards": len(places),
        "cleared_between": sum("Z" in letters[one:other] for one, other in pairs),
        "from_forwards": all("F" in letters[one:other] for one, other in pairs) and "Z" not in letters[places[-1] :] if places else False,
        "forward_last": bool(forwards) and forwards[-1] > last,
        "clipped_late": bool(clips) and bool(places) and clips[0] < places[0],
        "clipped_scaled": scaled and bool(clips) and not any(letter == "U" for letter in letters[: clips[0]]),
    }


class TurnWatcher(Watcher):
    """Counts the patterns in which backward, clearing, clipping and stepping follow each other.

    A pattern is a text of letters: F a model is called with gradients on (several in a row are one), B backward, Z gradients cleared,
    C gradients clipped, U unscaled, S the optimizer steps, L a scheduler steps.
    """

    def install(self) -> None:
        events = self.session.events
        self.calls: list[tuple[str, Site | None]] = []
        self.complete = False
        """The calls since the last step were all seen: the turn before was followed too."""
        self.grads_set = False
        """Gradients were changed by hand between the last backward and the step."""
        self.schedulers: dict[int, str] = {}
        self.depth = 0
        self.traces: dict[str, list[tuple[int, float]]] = {}
        events.root_call.append(self._forward)
        events.backward_begins.append(lambda loss, site: self.note("b" if self.session.in_optimizer else "B", site))
        events.cleared.append(self._cleared)
        events.before_step.append(self._before_step)
        events.after_step.append(self._stepped)
        self._wrap_clipping()
        self._wrap_unscale()
        self._wrap_schedulers()
        events.turn.append(self._turn)

    def reset(self) -> None:
        self.calls.clear()
        self.schedulers.clear()
        self.traces.clear()
        self.complete = False

    # ---- the order

    def note(self, letter: str, site: Site | None) -> None:
        if len(self.calls) < MAX_CALLS:
            self.calls.append((letter, site))

    def _forward(self, module: Any, args: Any, kwargs: Any) -> None:
        # Handlers run without grad mode; the wrapper has noted what the caller's was.
        if self.session.grad_at_call and (not self.calls or self.calls[-1][0] != "F"):
            self.note("F", None)

    def _cleared(self, target: Any, site: Site | None) -> None:
        self.note("Z", site)

    def _before_step(self, optimizer: Any, watch: OptimizerWatch) -> None:
        if not any(letter == "C" for letter, _ in self.calls) and watch.grads() != watch.seen:
            self.grads_set = True

    def _stepped(self, optimizer: Any, watch: Any, site: Site | None) -> None:
        key = watch.key
        self.note(f"S{key}" if key != "0" else "S", site or here(2))

    def _turn(self, number: int) -> None:
        session = self.session
        self._rates(number)
        if not session.full and not self.calls:
            self.complete = False
            return
        if self.complete or number == 1:
            letters = [letter for letter, _ in self.calls]
            pattern = " ".join(letters[:MAX_SHOWN]) + (" …" if len(letters) > MAX_SHOWN else "")
            recorder = session.recorder
            if recorder.number_of("turn") < MAX_PATTERNS or ("turn", pattern) in recorder.writer.entries:
                entry = recorder.fact("turn", pattern, None, lambda: {"pattern": pattern, "first": number, "sites": {}, **order(letters)})
                entry.count += 1
                entry.data["count"] = entry.count
                if self.grads_set:
                    entry.data["grads_set"] = True
                for letter, site in self.calls:
                    if site is not None:
                        entry.data["sites"].setdefault(letter, site.as_data)
                entry.data["backward_sites"] = len({site.key for letter, site in self.calls if letter == "B" and site is not None})
                recorder.touch(entry)
        self.calls.clear()
        self.grads_set = False
        self.complete = session.full

    # ---- rates

    def _rates(self, number: int) -> None:
        """On every step: has a rate changed?"""
        for watch in self.session.optimizers.values():
            optimizer = watch.ref()
            if optimizer is None:
                continue
            rate = optimizer.param_groups[0].get("lr")
            if rate is watch.last_rate or not isinstance(rate, float):
                continue
            self._rate_changed(watch, number, rate)

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

    def _wrap_schedulers(self) -> None:
        for cls in vars(lr_scheduler).values():
            if inspect.isclass(cls) and "step" in vars(cls) and hasattr(cls, "state_dict"):
                self._wrap_scheduler(cls)

    def _wrap_scheduler(self, cls: Any) -> None:
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
                try:
                    self._scheduled(scheduler)
                except Exception:
                    self.session.recorder.failed()

        put(cls, "step", step)

    def _scheduled(self, scheduler: Any) -> None:
        recorder = self.session.recorder
        key = self.schedulers.get(id(scheduler))
        if key is None:
            key = self.schedulers[id(scheduler)] = str(len(self.schedulers))
            site = here(2)
            optimizer = getattr(scheduler, "optimizer", None)
            watch = self.session.optimizers.get(id(optimizer))
            entry = recorder.fact("scheduler", key, site, lambda: {"cls": type(scheduler).__name__, "steps": 0, "early": 0})
            entry.data["optimizer"] = watch.key if watch is not None else None
            entry.data["built_site"] = site.as_data if site is not None else None
            recorder.touch(entry)
            if not isinstance(scheduler, lr_scheduler.ReduceLROnPlateau):
                return  # the step that a scheduler makes when it is built
        entry = recorder.fact("scheduler", key)
        entry.count += 1
        entry.data["steps"] += 1
        if not recorder.steps:
            entry.data["early"] += 1
        if entry.count <= 3:
            site = here(2)
            entry.data["step_site"] = site.as_data if site is not None else None
        if self.session.full:
            self.note("L", None)
        recorder.touch(entry)

    # ---- clipping

    def _wrap_clipping(self) -> None:
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            self._wrap_clip(name)

    def _wrap_clip(self, name: str) -> None:
        original = getattr(torch.nn.utils, name)
        session = self.session

        @functools.wraps(original)
        def clip(parameters: Any, limit: Any, *args: Any, **kwargs: Any) -> Any:
            if torch.compiler.is_compiling() or session.light or get_ident() != session.thread:
                return original(parameters, limit, *args, **kwargs)
            if not isinstance(parameters, torch.Tensor):
                parameters = list(parameters)
            result = original(parameters, limit, *args, **kwargs)
            try:
                self._clipped(name, limit, result)
            except Exception:
                session.recorder.failed()
            return result

        setattr(torch.nn.utils, name, clip)
        setattr(torch.nn.utils.clip_grad, name, clip)

    def _clipped(self, name: str, limit: Any, norm: Any) -> None:
        site = here(2)
        recorder = self.session.recorder
        self.note("C", site)
        key = f"{name}@{site.key if site else '?'}"
        entry = recorder.fact(
            "clip", key, site, lambda: {"function": name, "limit": float(limit), "checked": 0, "clipped": 0, "ratio_sum": 0.0}
        )
        entry.count += 1
        if isinstance(norm, torch.Tensor) and values.readable(norm):

            def use(found: list[float]) -> None:
                data = entry.data
                data["checked"] += 1
                data["clipped"] += found[0] > data["limit"]
                data["ratio_sum"] += min(1.0, data["limit"] / found[0]) if found[0] > 0 else 1.0
                data["norm_last"] = found[0]
                recorder.touch(entry)

            values.read_later(recorder, [norm.detach()], use)
        recorder.touch(entry)

    def _wrap_unscale(self) -> None:
        scaler: Any = torch.amp.GradScaler
        original = scaler.unscale_

        @functools.wraps(original)
        def unscale_(scaler: Any, optimizer: Optimizer) -> Any:
            result = original(scaler, optimizer)
            if self.session.full and get_ident() == self.session.thread:
                self.note("U", here(1))
            return result

        put(scaler, "unscale_", unscale_)
        step = scaler.step

        @functools.wraps(step)
        def scaled_step(scaler: Any, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
            if self.session.full and get_ident() == self.session.thread and scaler.is_enabled():
                self.note("G", here(1))
            return step(scaler, optimizer, *args, **kwargs)

        put(scaler, "step", scaled_step)


def _first_clip(name: str, limit: float) -> dict[str, Any]:
    return {"function": name, "limit": limit, "checked": 0, "clipped": 0, "ratio_sum": 0.0}
