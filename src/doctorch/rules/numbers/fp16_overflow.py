"""fp16-overflow: a value does not fit in half precision."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.numbers.first import First, arithmetic
from doctorch.rules.shared import related, site_place

ERRORS = ("without overflow", "value cannot be converted to type")
LARGEST = 65504.0
EXPLAINS = ("loss-diverges", "loss-plateau", "exp-overflow", "log-zero", "lr-too-high", "exploding-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("exception"):
        text = str(fact.get("message") or "")
        if "Half" in text and all(part in text for part in ERRORS):
            yield _constant(fact)
            return
    found = arithmetic(run)
    if found is not None and found.half:
        yield _operator(found)


def _constant(fact: Fact) -> Finding:
    stack = [place for site in fact.get("stack") or () if (place := site_place(site)) is not None]
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="constant",
        values={"largest": LARGEST},
        place=Place(fact.file, fact.line) if fact.file and fact.line else None,
        related=related(*reversed(stack)),
        why="range",
        fix="finfo",
        explains=EXPLAINS,
        ground="error",
    )


def _operator(found: First) -> Finding:
    values: dict[str, Value] = {
        "op": found.op,
        "step": found.step + 1,
        "count": int(found.event.get("count") or 1),
        "high": max(
            (abs(v) for n in range(len(found.event.get("inputs") or ())) for v in (found.low(n), found.high(n)) if v is not None),
            default=None,
        ),
        "largest": LARGEST,
        "sample": found.where,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="gradient" if found.backward else "operator",
        values=values,
        place=found.place,
        why="range",
        fix="scaler" if found.backward else "single",
        explains=EXPLAINS,
        confidence=0.95,
    )


RULE = Rule(
    id="fp16-overflow",
    title="A value does not fit in half precision",
    severity=Severity.ERROR,
    examine=examine,
)
