"""The experiments: when each is called for, which copies it runs, and what it makes of them."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any, Protocol

from doctorch.probes import arms, freeze, functions, halves, samples
from doctorch.probes.fork import Arm, Outcome
from doctorch.probes.view import View

if TYPE_CHECKING:
    from doctorch.probes.prober import Prober

MIN_TURNS = 8
"""Fewer steps say nothing."""
SHORT, LONG = 20, 30
OVERFIT = 100
"""Steps on one batch: enough for a small net to learn it by heart at a fair rate."""
RAISED = (1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
LOWERED = (0.1, 0.01)
OWN_BATCH = (10.0, 100.0, 0.1, 0.01)
FRESH = (10.0, 0.1, 0.01, 0.001)


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


def _loaded(view: View) -> bool:
    """Whether a model's weights came from a file: a fresh start would throw them away."""
    return any(entry.data.get("loaded") for entry in view.facts("module"))


class RateLadder:
    """The script's next steps, at its learning rate and at others."""

    name = "rate-ladder"

    def wanted(self, view: View) -> bool:
        return view.stuck or view.risen

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        plan = [Arm("x1", LONG)]
        plan += [Arm(f"x{factor:g}", LONG, arms.rate(factor)) for factor in (RAISED if view.stuck else LOWERED)]
        found = _summaries(prober.copies(plan, view))
        if found is not None:
            ends = {arm.name: found["arms"][arm.name]["last"] for arm in plan}
            known = {name: last for name, last in ends.items() if last is not None}
            if known:
                prober.best_factor = float(min(known, key=lambda name: known[name])[1:])
        return found


class OneBatch:
    """One batch, again and again, at several rates: does its own loss fall? Where nothing was loaded, also from a fresh start."""

    name = "one-batch"

    def wanted(self, view: View) -> bool:
        return view.stuck or view.risen

    def run(self, prober: Prober, view: View) -> dict[str, Any] | None:
        plan = [Arm("x1", OVERFIT, freeze.same_batch)]
        plan += [Arm(f"x{factor:g}", OVERFIT, arms.together(freeze.same_batch, arms.rate(factor))) for factor in OWN_BATCH]
        best = prober.best_factor
        if best > max(OWN_BATCH):
            plan.append(Arm(f"x{best:g}", OVERFIT, arms.together(freeze.same_batch, arms.rate(best))))
        if not _loaded(view):
            plan.append(Arm("fresh x1", OVERFIT, arms.together(arms.fresh, freeze.same_batch)))
            for factor in FRESH:
                plan.append(Arm(f"fresh x{factor:g}", OVERFIT, arms.together(arms.fresh, freeze.same_batch, arms.rate(factor))))
        return _summaries(prober.copies(plan, view))


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


class Rescaled:
    """The same steps from a fresh start with inputs of mean 0 and deviation 1."""

    name = "rescaled"

    def wanted(self, view: View) -> bool:
        return view.stuck or view.risen

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
)
