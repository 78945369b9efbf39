"""The loss on data that the model does not train on: one value a pass."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import torch

from doctorch.observe import lines, values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site
from doctorch.observe.session import Session

MAX_PASSES = 400
"""Passes kept of a place; of more every second is dropped, again and again."""
MAX_PLACES = 60
CALLERS = 3
"""A function that evaluates is told apart by the calls: for the training data, for the validation."""


class EvaluationWatcher(Watcher):
    """Means of the loss over passes without gradients, or in eval mode of a model that trains in training mode."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.trained: set[int] = set()
        """Ids of models called in training mode with gradients on."""
        self.evaluates = False
        """The last model called stood in eval mode and is one of these."""
        self.loader: str | None = None

    def install(self) -> None:
        events = self.session.events
        events.batch.append(self._batch)
        events.root_call.append(self._called)
        events.loss_return.append(self._returned)

    def reset(self) -> None:
        self.trained.clear()
        self.evaluates, self.loader = False, None

    def _batch(self, watch: Any, loader: Any, batch: Any) -> None:
        self.loader = watch.key

    def _called(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        if module.training and self.session.grad_at_call:
            self.trained.add(id(module))
        self.evaluates = not module.training and id(module) in self.trained

    def _returned(self, name: str, result: Any, bound: dict[str, Any], site: Site | None) -> None:
        if not isinstance(result, torch.Tensor) or result.numel() != 1 or not values.readable(result):
            return
        if result.requires_grad and not self.evaluates:
            return
        recorder = self.session.recorder
        around, places = callers(sys._getframe(1))
        key = f"{name}@{'<'.join(places)}/{self.loader}"
        if recorder.number_of("evaluation") > MAX_PLACES:
            return
        caller = around[1].as_data if len(around) > 1 else None
        entry = recorder.fact("evaluation", key, site, lambda: {"function": name, "caller": caller, "calls": 0, "passes": []})
        entry.count += 1
        entry.data["calls"] += 1
        entry.data["loader"] = self.loader
        step = recorder.steps

        def use(found: list[float]) -> None:
            _add(entry.data["passes"], step, found[0])
            if len(entry.data["passes"]) > MAX_PASSES:
                entry.data["passes"] = entry.data["passes"][::2]
            self.session.recorder.touch(entry)

        values.read_later(recorder, [result], use)


def callers(frame: FrameType | None) -> tuple[list[Site], list[str]]:
    """The user's innermost lines, and a text for each that tells two calls on one line apart."""
    sites: list[Site] = []
    places: list[str] = []
    while frame is not None and len(sites) < CALLERS:
        frame = lines.user_frame(frame)
        if frame is not None:
            sites.append(lines.site_of(frame))
            places.append(f"{sites[-1].line}.{frame.f_lasti}")
            frame = frame.f_back
    return sites, places


def _add(passes: list[list[float]], step: int, value: float) -> None:
    """Passes are ``[step, mean, calls]``; a new one begins where the model was trained in between."""
    if passes and passes[-1][0] == step:
        last = passes[-1]
        last[2] += 1
        last[1] += (value - last[1]) / last[2]
    else:
        passes.append([step, value, 1])
