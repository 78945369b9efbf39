"""dropout-p-inverted: a dropout takes nearly everything; its p was meant as the share to keep."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.analysis import probes
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related

HIGH = 0.7
"""Above what is in use: 0.5 for hidden layers, 0.2 for inputs, up to 0.6 in some language models."""
GAIN = 0.15
"""Share by which the same steps must end lower without it."""
EXPLAINS = ("loss-plateau", "lr-too-low", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        high = [fact for fact in process.facts("dropout") if float(fact.get("p") or 0.0) >= HIGH]
        gain = _gain(process)
        if not high or gain is None:
            continue
        high.sort(key=lambda fact: (-float(fact["p"]), fact.line or 0))
        first = high[0]
        p = float(first["p"])
        values: dict[str, Value] = {**gain, "p": p, "kept": 1 - p, "places": len(high)}
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="high",
            values=values,
            place=place_of(first),
            related=related(*(place_of(fact) for fact in high[1:])),
            why="drop",
            fix="invert",
            proof="copies",
            explains=EXPLAINS,
            confidence=0.9,
        )


def _gain(process: Process) -> dict[str, Value] | None:
    tried = probes.probe(process, "without-dropout")
    control, without = (tried.arms.get(name) if tried is not None else None for name in ("control", "without"))
    if control is None or without is None or not without.last < (1 - GAIN) * control.last:
        return None
    return {"turns": without.turns, "with": control.last, "without": without.last}


RULE = Rule(
    id="dropout-p-inverted",
    title="Dropout drops nearly everything",
    severity=Severity.ERROR,
    needs=frozenset({"dropout"}),
    examine=examine,
)
