"""bf16-update-lost: weights in bfloat16 that the optimizer's steps leave as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of

LOST = 0.7
"""Share of the weights with a gradient that a step must leave as they were, at the best of the looks. Where steps are of a size that
trains in float32 (a thousandth of the weights) and bfloat16 keeps 8 bits, most weights move."""
MIN_LOOKS, MIN_STEP = 4, 8
"""Looks at which it must be so, and how far into the training: a warm-up begins with steps that move nothing."""
MIN_WEIGHTS = 50
"""Weights looked at at once."""
MIN_SHARE = 0.5
"""Of the optimizer's elements that must be in bfloat16."""
TOO_SMALL = 3e-6
"""An update of less than this share of the weights trains nothing in float32 either: lr-too-low."""
BITS = 8
"""Significant bits of bfloat16: neighbours differ by 2 to the power -7 to -8 of a number; what is less than half of that is lost."""


def examine(run: Run) -> Iterator[Finding]:
    process = run.main
    for fact in run.main_facts("half_weights"):
        optimizer = process.fact("optimizer", fact.key) if process is not None else None
        if optimizer is None or "bfloat16" not in fact["dtypes"] or fact["share"] < MIN_SHARE or fact["copies"] or not fact["own"]:
            continue
        looks = [look for look in fact["looks"] if look[1] + look[2] >= MIN_WEIGHTS]
        if len(looks) < MIN_LOOKS or looks[-1][0] < MIN_STEP:
            continue
        best = min(looks, key=_share)
        if _share(best) < LOST or _ratio(fact, optimizer, best) < TOO_SMALL:
            continue
        yield _finding(optimizer, looks, best)


def _share(look: Sequence[float]) -> float:
    """Of the weights with a gradient those that the step left as they were."""
    return look[2] / (look[1] + look[2])


def _ratio(fact: Fact, optimizer: Fact, look: Sequence[float]) -> float:
    """The size of an update in float32, relative to the weights, as the optimizer's formula gives it."""
    rate = float(look[5] or 0.0)
    if fact.get("adaptive"):
        return rate / look[4] if look[4] else 0.0
    update = optimizer.process.fact("update", optimizer.key)
    samples = [sample for sample in (update.get("samples") or ()) if sample[1]] if update is not None else []
    return max((rate * sample[2] / sample[1] for sample in samples), default=0.0)


def _finding(optimizer: Fact, looks: Sequence[Sequence[float]], best: Sequence[float]) -> Finding:
    weight = best[4]
    values: dict[str, Value] = {
        "percent": 100 * _share(best),
        "weights": int(best[1] + best[2]),
        "looks": len(looks),
        "step": int(best[0]) + 1,
        "lr": best[5],
        "weight": weight,
        "spacing": weight * 2.0**-BITS,
        "optimizer": str(optimizer.get("cls") or "the optimizer"),
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="unchanged",
        values=values,
        place=place_of(optimizer),
        why="bits",
        fix="master",
        explains=("lr-too-low", "loss-plateau", "vanishing-gradients"),
        confidence=0.9,
    )


RULE = Rule(
    id="bf16-update-lost",
    title="Updates vanish in bfloat16 weights",
    severity=Severity.WARNING,
    needs=frozenset({"optimizer"}),
    examine=examine,
)
