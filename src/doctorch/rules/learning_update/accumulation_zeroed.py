"""accumulation-zeroed: several backwards are meant for one step, but each clears what the one before wrote."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.turns import call_site, usual
from doctorch.rules.shared import related

EXPLAINS = ("loss-plateau", "lr-too-low")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        if sum(bool(fact.get("steps")) for fact in process.facts("optimizer")) != 1:
            continue
        # One line of backward: an attack or a penalty of its own that clears up after itself has another.
        found = usual(
            process,
            lambda fact: (
                int(fact.get("backwards") or 0) >= 2
                and fact.get("backward_sites") == 1
                and bool(fact.get("from_forwards"))
                and not fact.get("grads_set")
                and str(fact.get("pattern")).split().count("C") <= 1  # gradients clipped one by one are gathered elsewhere
                and int(fact.get("cleared_between") or 0) == int(fact["backwards"]) - 1
            ),
        )
        if found is None:
            continue
        fact, number, total = found
        clear, backward, step = (call_site(fact, letter) for letter in ("Z", "B", "S"))
        values: dict[str, Value] = {
            "turns": number,
            "checked": total,
            "backwards": int(fact["backwards"]),
            "lost": int(fact["backwards"]) - 1,
            "step_line": step.line if step else 0,
            "backward_line": backward.line if backward else 0,
        }
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="each",
            values=values,
            place=clear or step,
            related=related(backward, step),
            why="lost",
            fix="once",
            explains=EXPLAINS,
            certain_now=number >= 10,
        )


RULE = Rule(
    id="accumulation-zeroed",
    title="Gradients are cleared at every micro-batch",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "turn"}),
    examine=examine,
)
