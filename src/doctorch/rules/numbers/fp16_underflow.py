"""fp16-underflow: what is too small for half precision becomes 0: gradients, or an optimizer's epsilon."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of

SMALLEST = 2.0**-24
"""The smallest positive number of float16; half of it rounds to 0."""
LOST = 0.5
"""Share of the gradient's elements that must be lost. A tenth is lost in many trainings that do well: those hardly count."""
LOST_NORM = 0.1
"""… or share of its norm, with it a tenth of the elements."""
MIN_LOST = 0.1
MIN_ELEMENTS = 20
EXPLAINS = ("loss-plateau", "lr-too-low", "vanishing-gradients", "loss-diverges", "lr-too-high", "dead-relu", "exploding-gradients")


def examine(run: Run) -> Iterator[Finding]:
    yield from _epsilon(run)
    for fact in run.main_facts("probe"):
        if fact.key == "half-range" and fact.get("elements"):
            yield from _gradients(run, fact)


def _gradients(run: Run, fact: Fact) -> Iterator[Finding]:
    elements, lost = int(fact["elements"]), int(fact["lost"])
    share = lost / elements
    if elements < MIN_ELEMENTS or not (share >= LOST or (share >= MIN_LOST and fact["norm_share"] >= LOST_NORM)):
        return
    backward = max(run.main_facts("backward"), key=lambda one: one.count, default=None)
    values: dict[str, Value] = {
        "percent": 100 * share,
        "elements": elements,
        "tensors": int(fact["tensors"]),
        "lost_tensors": int(fact["lost_tensors"]),
        "norm_percent": 100 * float(fact["norm_share"]),
        "scale": int(fact["scale"]),
        "smallest": SMALLEST,
    }
    yield Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="gradients",
        values=values,
        place=place_of(backward) if backward is not None else None,
        why="range",
        fix="scaler",
        proof="scaled",
        explains=EXPLAINS,
        confidence=0.95,
    )


def _epsilon(run: Run) -> Iterator[Finding]:
    """Float16 weights became no numbers by a step whose gradients were finite, with an epsilon that is 0 in float16."""
    process = run.main
    for fact in run.main_facts("half_weights"):
        eps = fact.get("eps")
        looks = [look for look in fact["looks"] if look[3]]
        if "float16" not in fact["dtypes"] or eps is None or eps >= SMALLEST / 2 or not looks or process is None:
            continue
        optimizer = process.fact("optimizer", fact.key)
        if optimizer is None:
            continue
        values: dict[str, Value] = {
            "step": int(looks[0][0]) + 1,
            "count": int(looks[0][3]),
            "eps": eps,
            "smallest": SMALLEST,
            "optimizer": str(optimizer.get("cls") or "the optimizer"),
        }
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="epsilon",
            values=values,
            place=place_of(optimizer),
            why="zero-over-zero",
            fix="weights",
            explains=EXPLAINS,
            confidence=0.95,
            certain_now=True,
        )


RULE = Rule(
    id="fp16-underflow",
    title="Values vanish in half precision",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
)
