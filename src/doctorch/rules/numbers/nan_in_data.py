"""nan-in-data: the batch holds values that are no numbers."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.numbers.first import First, first, samples
from doctorch.rules.shared import place_of, related, site_place

EXPLAINS = (
    "loss-diverges",
    "sqrt-zero-grad",
    "log-zero",
    "div-zero-std",
    "exp-overflow",
    "lr-too-high",
    "loss-plateau",
    "exploding-gradients",
)


def examine(run: Run) -> Iterator[Finding]:
    found = first(run)
    if found is not None and found.batch.get("kind") == "nonfinite":
        yield bad_batch(found, RULE, "nan", EXPLAINS)


def bad_batch(found: First, rule: Rule, message: str, explains: tuple[str, ...]) -> Finding:
    """A finding on the values of a batch; also for rows that are numbers but no measurements."""
    batch, process = found.batch, found.fact.process
    loader = max(process.facts("loader"), key=lambda fact: fact.count, default=None)
    module = max(process.facts("module"), key=lambda fact: fact.count, default=None)
    place = place_of(loader) if loader is not None else site_place(module.get("call_site")) if module is not None else None
    values: dict[str, Value] = {
        "value": batch.get("value"),
        "sample": samples(batch.get("rows") or (), batch.get("indices") or ()),
        "column": int(batch.get("column") or 0),
        "part": int(batch.get("part") or 0) + 1,
        "count": int(batch.get("count") or 0),
        "step": found.step + 1,
        "usual": batch.get("usual"),
        "loss": str(found.fact.get("loss")),
    }
    return Finding(
        rule=rule.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=place,
        related=related(site_place(loader.get("built_site")) if loader is not None else None, found.place),
        why="spreads",
        fix="clean",
        explains=explains,
        certain_now=message == "nan",
    )


RULE = Rule(
    id="nan-in-data",
    title="The data hold values that are no numbers",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
