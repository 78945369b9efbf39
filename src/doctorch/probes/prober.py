"""Decides between two steps which experiments are called for, runs them within the budget, and writes down what came out."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from doctorch.observe.lines import place
from doctorch.observe.recorder import now
from doctorch.probes import experiments, fork, numbers, seal, suspects
from doctorch.probes.fork import Arm, NotAfforded, Outcome
from doctorch.probes.view import View

if TYPE_CHECKING:
    import torch

    from doctorch.observe.batches import Batch
    from doctorch.observe.session import Session

MAX_ODD = 3
"""Times that a value which is no number any more is looked into."""
WAKE_AT = (12, 25, 60, 120, 250, 500, 1000, 2000, 4000)
"""Steps after which the state of the training is looked at; each look costs some ten microseconds."""
DEFAULT_BUDGET_S = 60.0
MEMORY_SHARE = 1 / 3
"""Of the free memory that copies may come to take."""
COPY_FACTOR = 6
"""What a copy writes anew, in multiples of the parameters' bytes: weights, gradients, two states of Adam, activations. An estimate."""
EXPERIMENT_SHARE = 0.5
"""Of the time that is left, for one experiment: later ones shall have some too."""
SLOWDOWN = 2.5
"""A step in a copy against one of the training: one thread, pages copied on first write, other copies beside it."""


class Prober:
    """The experiments of one process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.left_s = float(session.recorder.settings.get("probe_seconds") or DEFAULT_BUDGET_S)
        self.experiments = [make() for make in experiments.ALL]
        self.refused: str | None = None
        self.best_factor = 1.0
        """Of the learning rate: the one whose loss ended lowest on the rate ladder."""
        self.odd_left = MAX_ODD
        self.odd_at = -1
        session.on_wake = self.wake
        session.on_odd = self.odd
        session.wake_at = WAKE_AT[0]

    def wake(self) -> None:
        """Between two steps."""
        session = self.session
        steps = session.recorder.steps
        view = View(session)
        for experiment in list(self.experiments):
            if not experiment.wanted(view):
                continue
            self.experiments.remove(experiment)
            self._make(experiment, view)
            if fork.in_copy() is not None:
                return
        session.wake_at = next((step for step in WAKE_AT if step > steps), sys.maxsize) if self.experiments else sys.maxsize

    def odd(self, kind: str, loss: torch.Tensor | None) -> None:
        """A loss or a gradient stopped being a number, or a loss leapt: the same step again, on a copy, looked at closely."""
        session = self.session
        if not self.odd_left or self.odd_at == session.recorder.steps:
            return  # of a loss that is no number the gradients are none either
        view = View(session)
        self.odd_left -= 1
        self.odd_at = view.steps
        data: dict[str, Any] = {"kind": kind, "why_not": None, "loss": str(session.loss), "before": session.losses[-8:]}
        held, batch = _suspect(session)
        outside = suspects.of_graph(loss) if not batch and loss is not None and loss.grad_fn is not None else {}
        if kind == "leap":
            session.odd_above = math.inf
        else:
            data["why_not"] = reason = self._why_not()
            if reason is None:
                poisoned = not fork.params_finite(_weights(session))
                given = (held.held, held.indices) if held is not None else (None, None)
                look = numbers.look_anew if poisoned else numbers.look(*given)
                try:
                    outcomes = self.copies([Arm("look", numbers.TURNS, look)], view)
                except NotAfforded as lacking:
                    outcomes, data["why_not"] = [], str(lacking)
                if outcomes is None:
                    return
                for outcome in outcomes:
                    data.update(outcome.facts, failure=outcome.failure, poisoned=poisoned)
        events = data.get("events") or []
        data["batch"] = batch or data.get("batch") or {}
        # What is no number there may be the doing of an operator that was found; what is absurd is not.
        if not data["batch"] and (not events or outside.get("kind") == "outlier"):
            data["batch"] = outside
        site = (events[0].get("site") or None) if events else None
        where = place(site["file"], site["line"], site["function"]) if site else None
        entry = session.recorder.fact("nonfinite", str(MAX_ODD - self.odd_left), where)
        if kind != "leap" and (events or data["batch"] or data.get("poisoned")):
            self.odd_left = 0  # what follows is the same, or follows from it
        entry.count += 1
        entry.data.update(step=view.steps, **data)
        session.recorder.touch(entry)

    def _make(self, experiment: Any, view: View) -> None:
        reason = self._why_not()
        if reason is not None:
            self.write(experiment.name, view, {"made": False, "why_not": reason})
            return
        began = time.monotonic()
        try:
            data = experiment.run(self, view)
        except NotAfforded as reason:
            self.write(experiment.name, view, {"made": False, "why_not": str(reason)})
            return
        if data is None:  # this process is the copy
            return
        self.write(experiment.name, view, {"made": True, "why_not": None, "seconds": round(time.monotonic() - began, 3), **data})

    def _why_not(self) -> str | None:
        if self.refused is None:
            self.refused = seal.why_not(str(self.session.recorder.settings["run_dir"])) or self._no_room()
        if self.refused is None and self.left_s < 1.0:
            return "the time for experiments is used up"
        return self.refused

    def _no_room(self) -> str | None:
        size = 0
        for watch in list(self.session.optimizers.values()):
            optimizer = watch.ref()
            for group in optimizer.param_groups if optimizer is not None else ():
                for p in group["params"]:
                    if p.is_shared():
                        return "the parameters lie in memory that is shared between processes"
                    size += p.numel() * p.element_size()
        free = _free_memory()
        if free is not None and size * COPY_FACTOR > MEMORY_SHARE * free:
            return f"a copy would take about {size * COPY_FACTOR / 2**30:.1f} GiB of the {free / 2**30:.1f} GiB that are free"
        return None

    def copies(self, arms: Sequence[Arm], view: View) -> list[Outcome] | None:
        """Run arms side by side, as many as there are cores; with fewer turns where the time does not suffice. None in a copy.

        Raises:
            NotAfforded: the time that is left does not suffice for the fewest turns that tell anything.
        """
        step = max(view.step_seconds(), 1e-4) * SLOWDOWN
        at_once = max(1, min(len(arms), os.cpu_count() or 1))
        rounds = math.ceil(len(arms) / at_once)
        share = EXPERIMENT_SHARE * self.left_s
        affordable = int((share / rounds - 0.2) / step)
        turns = max(arm.turns for arm in arms)
        if affordable < turns:
            if affordable < experiments.MIN_TURNS:
                raise NotAfforded(f"{self.left_s:.1f} s are left for experiments, and a step takes {view.step_seconds():.2g} s")
            arms = [Arm(arm.name, min(arm.turns, affordable), arm.prepare) for arm in arms]
            turns = affordable
        limit = min(share, rounds * (turns * step * 3 + fork.GRACE_S))
        began = time.monotonic()
        outcomes = fork.run(self.session, arms, limit, at_once)
        self.left_s -= time.monotonic() - began
        return outcomes

    def write(self, name: str, view: View, data: dict[str, Any]) -> None:
        """The fact of an experiment."""
        recorder = self.session.recorder
        entry = recorder.fact("probe", name, None, dict)
        entry.count += 1
        rates = {watch.key: watch.rates() for watch in list(self.session.optimizers.values())}
        entry.data.update(name=name, at_step=view.steps, rates=rates, at=now(), **data)
        recorder.touch(entry)


def _suspect(session: Session) -> tuple[Batch | None, dict[str, Any]]:
    """The batch that the loop is at or, where that has nothing wrong with it, one fetched lately that has; and what is wrong with it."""
    for one in session.batches.candidates():
        found = suspects.of_batch(suspects.strongly(one.held), one.indices)
        if found:
            return one, found
    return session.batches.current, {}


def _weights(session: Session) -> list[torch.Tensor]:
    found = [watch.ref() for watch in list(session.optimizers.values())]
    return [p for optimizer in found if optimizer is not None for group in optimizer.param_groups for p in group["params"]]


def _free_memory() -> int | None:
    """Bytes that can be had without swapping: of the machine, or of the container where that is less."""
    try:
        with open("/proc/meminfo", encoding="ascii") as info:
            found = next(int(line.split()[1]) * 1024 for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit, open("/sys/fs/cgroup/memory.current", encoding="ascii") as used:
            most = limit.read().strip()
            if most != "max":
                found = min(found, int(most) - int(used.read()))
    except (OSError, ValueError):
        pass
    return found
