"""The experiments: when each is called for, which copies it runs, and what it makes of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from doctorch.probes import arms, freeze, functions, halves, positions, samples
from doctorch.probes.fork import Arm, NotAfforded, Outcome
from doctorch.probes.view import View

if TYPE_CHECKING:
    from doctorch.probes.prober import Prober

MIN_TURNS = 8
"""Fewer steps say nothing."""
SHORT, LONG = 20, 30
OVERFIT = 100
"""Steps on one batch: enough for a small net to learn it by heart at a fair rate."""
RAISED, FURTHER = (1e1, 1e2, 1e3), (1e4, 1e5, 1e6)
"""Factors of the rate: first a few, and more only where the highest of them ended best."""
RAISED_OWN = (1e1, 1e2)
BY_HEART = (1e3, 1e5, 1e7)
LOWERED, LOWERED_FRESH = (0.1, 0.01), (0.1, 0.01, 0.001)
LEARNS, JUMP = 0.15, 3.0
"""An arm that loses this share of its first loss, without having been thrown above this multiple of it, shows that the rate is fit: no
lower one needs to be tried (as in ``analysis.probes`` and ``lr-too-high``)."""
ODD_SPREAD = 5.0
"""Inputs with a deviation above this, or below its inverse, or with a mean of so many deviations, are tried at another scale."""
MIN_STEPS_NORM = 60
"""Six times the memory of BatchNorm's usual momentum of 0.1."""
FAR = 0.5
"""Deviations of the mean, or logarithm of the ratio of variances, from which running statistics are another thing than a batch's own."""


class Experiment(Protocol):
    """One experiment; made at most once in a run."""

    name: str

    def wanted(self, view: View) -> bool:
        """Whether what was seen so far calls for it."""

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        """Make it. The fact's data, or None in a copy."""


def summary(outcome: Outcome) -> dict[str, Any]:
    """What is kept of an arm."""
    losses = outcome.losses
    tail = losses[-max(1, len(losses) // 5) :]
    extra = {name: value for name, value in outcome.facts.items() if name not in ("complete", "started")}
    return {
        "turns": len(losses),
        "first": losses[0] if losses else None,
        "second": losses[1] if len(losses) > 1 else None,
        "last": statistics.fmean(tail) if tail and all(map(math.isfinite, tail)) else None,
        "lowest": min((x for x in losses if math.isfinite(x)), default=None),
        "finite": all(map(math.isfinite, losses)),
        "complete": outcome.complete,
        "failure": outcome.failure,
        **extra,
    }


def _summaries(outcomes: list[Outcome] | None) -> dict[str, Any] | None:
    return None if outcomes is None else {"arms": {outcome.name: summary(outcome) for outcome in outcomes}}


def _staged(prober: Prober, view: View, plan: list[Arm], more: Callable[[dict[str, dict[str, Any]]], list[Arm]]) -> dict[str, Any] | None:
    """Arms in two stages: the second, if any, is chosen by what the first gave. Each copy of a large process costs a tenth of a second."""
    outcomes = prober.copies(plan, view)
    if outcomes is None:
        return None
    further = more({outcome.name: summary(outcome) for outcome in outcomes})
    if further:
        try:
            later = prober.copies(further, view)
        except NotAfforded:  # the first stage has told what it could
            return _summaries(outcomes)
        if later is None:
            return None
        outcomes += later
    return _summaries(outcomes)


def _learns(arm: dict[str, Any] | None) -> bool:
    """Whether an arm's loss fell, without having leapt first."""
    if arm is None or arm["first"] is None or arm["last"] is None:
        return False
    second = arm["second"] if arm["second"] is not None else arm["first"]
    return bool(arm["first"] - arm["last"] >= LEARNS * abs(arm["first"]) and second <= JUMP * abs(arm["first"]))


def _at_rates(factors: Iterable[float], turns: int, *prepare: arms.Prepare, prefix: str = "") -> list[Arm]:
    return [Arm(f"{prefix}x{factor:g}", turns, arms.together(*prepare, arms.rate(factor))) for factor in factors]


def _loaded(view: View) -> bool:
    """Whether a model's weights came from a file: a fresh start would throw them away."""
    return any(entry.data.get("loaded") for entry in view.facts("module"))


class RateLadder:
    """The script's next steps, at its learning rate and at others."""

    name = "rate-ladder"

    def wanted(self, view: View) -> bool:
        return view.stuck or view.risen

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        plan = [Arm("x1", LONG), *_at_rates(RAISED if view.stuck else LOWERED, LONG)]
        if view.risen and not _loaded(view):  # the damage that the first steps did hides what a lower rate would have done
            plan += _at_rates((1.0, *LOWERED), LONG, arms.fresh, prefix="fresh ")

        def more(seen: dict[str, dict[str, Any]]) -> list[Arm]:
            return _at_rates(FURTHER, LONG) if view.stuck and _best_factor(seen) == RAISED[-1] else []

        found = _staged(prober, view, plan, more)
        if found is not None:
            prober.best_factor = _best_factor(found["arms"])
        return found


def _best_factor(seen: dict[str, dict[str, Any]]) -> float:
    """The factor of the rate whose loss ended lowest."""
    known = {name: arm["last"] for name, arm in seen.items() if arm["last"] is not None and name.startswith("x")}
    return float(min(known, key=lambda name: known[name])[1:]) if known else 1.0


class OneBatch:
    """One batch, again and again, at several rates: does its own loss fall? Where nothing was loaded, also from a fresh start."""

    name = "one-batch"

    def wanted(self, view: View) -> bool:
        return view.stuck or view.risen

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        held, fresh = (freeze.same_batch,), (arms.fresh, freeze.same_batch)
        raised = (*RAISED_OWN, *((prober.best_factor,) if prober.best_factor > max(RAISED_OWN) else ()))
        plan = [Arm("x1", OVERFIT, arms.together(*held)), *_at_rates(raised if view.stuck else (), OVERFIT, *held)]
        begin_anew = not _loaded(view)
        if begin_anew:
            plan.append(Arm("fresh x1", OVERFIT, arms.together(*fresh)))

        def more(seen: dict[str, dict[str, Any]]) -> list[Arm]:
            further = [] if _learns(seen.get("x1")) else _at_rates(LOWERED, OVERFIT, *held)
            if view.stuck and not any(_learns(seen.get(f"x{factor:g}")) for factor in (1.0, *raised)):
                # A task that takes more steps than the ladder has shows nothing on it; one batch is learned by heart at a fair rate.
                further += _at_rates((factor for factor in BY_HEART if factor not in raised), OVERFIT, *held)
            if begin_anew and not _learns(seen.get("fresh x1")):
                further += _at_rates(LOWERED_FRESH, OVERFIT, *fresh, prefix="fresh ")
            return further

        return _staged(prober, view, plan, more)


class WithoutSoftmax:
    """Cross-entropy was given probabilities: the same steps with the softmax taken back."""

    name = "without-softmax"

    def wanted(self, view: View) -> bool:
        for entry in view.facts("loss_call"):
            data = entry.data
            rows = data.get("rows") or 0
            if data.get("function") == "cross_entropy" and data.get("softmax_kind") == "softmax" and rows and data["rows_sum_one"] == rows:
                return view.steps >= 25
        return False

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        return _summaries(prober.copies([Arm("control", SHORT), Arm("without", SHORT, arms.without_softmax)], view))


class Cleared:
    """Gradients of earlier steps are still there at each backward: the same steps with gradients cleared."""

    name = "cleared"

    def wanted(self, view: View) -> bool:
        return view.steps >= 25 and any(
            entry.data.get("stale_nonzero") and entry.data["stale_steps"] >= 0.8 * max(1, entry.data["stale_checked"])
            for entry in view.facts("optimizer")
        )

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        return _summaries(prober.copies([Arm("control", SHORT), Arm("cleared", SHORT, arms.cleared)], view))


class WithoutDropout:
    """A dropout takes most of what it is given: the same steps without it."""

    name = "without-dropout"

    def wanted(self, view: View) -> bool:
        return view.steps >= 25 and any(float(entry.data.get("p") or 0.0) >= arms.HIGH_DROPOUT for entry in view.facts("dropout"))

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        return _summaries(prober.copies([Arm("control", LONG), Arm("without", LONG, arms.without_dropout)], view))


class RunningStatistics:
    """BatchNorm's running statistics are far from those of the batches: the loss of the next batch with each, at the same weights."""

    name = "running-statistics"

    def wanted(self, view: View) -> bool:
        if view.steps < MIN_STEPS_NORM:
            return False
        for entry in view.facts("norm"):
            looks = entry.data.get("looks") or ()
            if len(looks) >= 2 and all(shift > FAR or ratio > FAR for _, shift, ratio, _ in looks[-2:]):
                return True
        return False

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        return _summaries(prober.copies([Arm("control", MIN_TURNS), Arm("running", MIN_TURNS, arms.eval_norm)], view))


def _odd_scale(data: dict[str, Any]) -> bool:
    """Whether numbers that a model is given while it trains are far from mean 0 and deviation 1, all in all or in some feature.

    A small deviation counts only where it is that of all of them: single features that hardly move are common.
    """
    if data.get("phase") != "train" or data.get("std") is None or "int" in str(data.get("dtype")):
        return False
    if float(data["std"]) < 1 / ODD_SPREAD:
        return True
    scales = [(data["mean"], data["std"]), *((mean, deviation) for mean, deviation, *_ in data.get("features") or ())]
    return any(deviation > ODD_SPREAD or abs(mean) > ODD_SPREAD * deviation > 0 for mean, deviation in scales)


class Rescaled:
    """The same steps from a fresh start with inputs of mean 0 and deviation 1."""

    name = "rescaled"

    def wanted(self, view: View) -> bool:
        return (view.stuck or view.risen) and any(_odd_scale(entry.data) for entry in view.facts("input"))

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        if _loaded(view):
            plan = [Arm("control", LONG), Arm("rescaled", LONG, arms.rescaled)]
        else:
            plan = [Arm("control", LONG, arms.fresh), Arm("rescaled", LONG, arms.together(arms.fresh, arms.rescaled))]
        return _summaries(prober.copies(plan, view))


class LabelSignal:
    """Does anything simple predict the targets from the inputs of the next batches?"""

    name = "label-signal"

    def wanted(self, view: View) -> bool:
        return view.stuck

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        outcomes = prober.copies([Arm("gather", samples.MAX_TURNS, samples.gather)], view)
        return None if outcomes is None else {**samples.judged(outcomes[0]), "failure": outcomes[0].failure}


class CustomFunctions:
    """The script's own autograd functions, their backward against numbers."""

    name = "custom-functions"

    def wanted(self, view: View) -> bool:
        return any(True for _ in view.facts("function"))

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        outcomes = prober.copies([Arm("check", MIN_TURNS, functions.check)], view)
        if outcomes is None:
            return None
        found: dict[str, Any] = outcomes[0].facts.get("functions") or {}
        for name, result in found.items():
            if result.get("why_not"):
                view.session.recorder.note(f"the backward of {name} was not checked: {result['why_not']}")
        return {"functions": found, "failure": outcomes[0].failure}


def _suspected(data: dict[str, Any]) -> bool:
    """A recurrent layer is given as many time steps as there are samples, or a reshape put the dimension of the samples elsewhere."""
    if data.get("batch_as_time"):
        return True
    batch, shapes = data.get("batch"), (data.get("from") or [], data.get("to") or [])
    strides = [{math.prod(shape[at + 1 :]) for at, size in enumerate(shape) if size == batch} for shape in shapes]
    return bool(batch and all(strides) and strides[0].isdisjoint(strides[1]))


class HalfRange:
    """A model computes in float16 and nothing scales its loss: what do its gradients lose?"""

    name = "half-range"

    def wanted(self, view: View) -> bool:
        if view.steps < 12 or not view.finite or any(True for _ in view.facts("scaler")):
            return False
        half = any(entry.data.get("answers_in") == "float16" for entry in view.facts("module"))
        return half or any("float16" in entry.data["dtypes"] for entry in view.facts("half_weights"))

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        outcomes = prober.copies([Arm("scaled", MIN_TURNS, halves.scaled)], view)
        return None if outcomes is None else {**outcomes[0].facts, "failure": outcomes[0].failure}


class SampleDependence:
    """Does the output for one sample move with the input of another?"""

    name = "sample-dependence"

    def wanted(self, view: View) -> bool:
        return view.stuck or (
            view.steps >= 12 and any(_suspected(entry.data) for entry in (*view.facts("reshape"), *view.facts("recurrent")))
        )

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        outcomes = prober.copies([Arm("perturb", MIN_TURNS, samples.perturb)], view)
        return None if outcomes is None else {**outcomes[0].facts, "failure": outcomes[0].failure}


class PositionDependence:
    """Targets are tokens that the model is given: does its answer for a position move with a later token?"""

    name = "position-dependence"

    def wanted(self, view: View) -> bool:
        return view.steps >= 12 and bool(self._subjects(view))

    def _subjects(self, view: View) -> list[tuple[str, str, bool]]:
        """Models, arguments, and whether rows come first in them."""
        found = []
        for entry in view.facts("shift"):
            data = entry.data
            for offset in ("0", "1", "2"):
                compared = data["positions"][offset]
                if compared >= positions.MIN_POSITIONS and data["equal"][offset] >= positions.SAME * compared:
                    found.append((str(data["root"]), str(data["name"]), bool(data["batch_first"])))
        return list(dict.fromkeys(found))

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        subjects = self._subjects(view)
        root = subjects[0][0]
        arm = Arm("change", MIN_TURNS, positions.change(root, [(name, first) for of, name, first in subjects if of == root]))
        outcomes = prober.copies([arm], view)
        return None if outcomes is None else {**outcomes[0].facts, "root": root, "failure": outcomes[0].failure}


ALL: tuple[type[Experiment], ...] = (
    CustomFunctions,
    HalfRange,
    WithoutSoftmax,
    Cleared,
    WithoutDropout,
    RunningStatistics,
    RateLadder,
    OneBatch,
    Rescaled,
    LabelSignal,
    SampleDependence,
    PositionDependence,
)
