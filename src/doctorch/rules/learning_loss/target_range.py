"""target-range: float targets outside the domain of the loss."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of

MIN_ELEMENTS = 8
WIDE = 0.25
"""Targets this far beyond 0 or 1 mean something else; smoothed and noisy labels go up to 0.2 beyond."""
MIN_SHARE = 0.01
"""Share of the targets outside: below that a broken row of the data."""
BINARY = frozenset(("binary_cross_entropy", "binary_cross_entropy_with_logits"))
EXPLAINS = ("loss-diverges", "loss-plateau", "loss-sign", "lr-too-high", "exploding-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        targets = fact.get("targets") or {}
        elements = int(targets.get("elements") or 0)
        if elements < MIN_ELEMENTS or fact.get("reduction") == "none" or not fact.get("train_count"):
            continue
        low, high = float(targets.get("min") or 0.0), float(targets.get("max") or 0.0)
        below, above = int(targets.get("below_0") or 0), int(targets.get("above_1") or 0)
        if fact.get("function") in BINARY and not fact.get("weighted"):
            if (low < -WIDE or high > 1 + WIDE) and below + above >= MIN_SHARE * elements:
                signed = not targets.get("other") and not targets.get("zeros") and bool(targets.get("minus_ones"))
                yield _finding(fact, "signed" if signed else "binary", low, high, below + above, elements)
        elif fact.get("function") == "poisson_nll_loss" and low < 0 and below >= MIN_SHARE * elements:
            yield _finding(fact, "counts", low, high, below, elements)


def _finding(fact: Fact, message: str, low: float, high: float, outside: int, elements: int) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={
            "function": str(fact["function"]),
            "outside": outside,
            "targets": elements,
            "share": outside / elements,
            "low": low,
            "high": high,
        },
        place=place_of(fact),
        why="counts-why" if message == "counts" else "unbounded",
        fix={"signed": "zero-one", "binary": "scale", "counts": "count"}[message],
        explains=EXPLAINS,
        ground="values",
        certain_now=True,
    )


RULE = Rule(
    id="target-range",
    title="Targets outside the domain of the loss",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
)
