"""accumulation-not-averaged: the gradients of several micro-batches are summed for one step, and nothing divides them by their number."""

from __future__ import annotations

import ast
import functools
import math
from collections import Counter
from collections.abc import Iterator
from statistics import fmean

from doctorch.analysis.losses import losses, share_left
from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.turns import call_site, turns, usual
from doctorch.rules.shared import call_of, place_of, related
from doctorch.source import edits, query
from doctorch.source.project import Project, project_of

SCALE_FREE = frozenset({"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Rprop", "Adafactor", "Lion"})
"""Optimizers whose step does not grow with the gradient: there the sum in place of the mean changes next to nothing."""
MEANS = (
    "Mean", "NllLoss", "MseLoss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits", "SoftMarginLoss",
)  # fmt: skip
"""Operators that give a mean over the batch. What backward is called on is their very result: nothing has divided it since."""
STUCK, WILD, PEAK = 0.9, 0.5, 2.0
"""The loss has not come down below the first share of where it began, or it went up to PEAK times that and ended above the second: so a
rate that is too high shows, and then it is a warning. A sum that trains may be meant, with a rate to match, and is advice."""
EXPLAINS = ("lr-too-high", "loss-diverges", "loss-plateau", "exploding-gradients", "dead-relu", "saturated-activations")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        optimizers = [fact for fact in process.facts("optimizer") if fact.get("steps")]
        number = _micro_batches(process)
        if len(optimizers) != 1 or number is None or not _mean(process) or _rate_divided(project_of(run), optimizers[0]):
            continue
        found = usual(process, functools.partial(_has, number=number))
        if found is not None:
            yield _finding(process, optimizers[0], number, *found)


def _has(fact: Fact, number: int) -> bool:
    return bool(fact.get("backwards") == number)


def _micro_batches(process: Process) -> int | None:
    """How many backwards are summed for each step, the same number nearly always; None where it is no accumulation."""
    seen: Counter[int] = Counter()
    for fact in turns(process):
        summed = (
            fact.get("backward_sites") == 1 and fact.get("from_forwards") and not fact.get("cleared_between") and not fact.get("grads_set")
        )
        seen[int(fact.get("backwards") or 0) if summed else 0] += fact.count
    number, _ = seen.most_common(1)[0] if seen else (0, 0)
    return number if number >= 2 else None


def _mean(process: Process) -> bool:
    """Whether what backward is called on is a mean, just as the loss function gave it."""
    backwards = [fact for fact in process.facts("backward") if fact.count or fact.get("count")]
    main = max(backwards, key=lambda fact: int(fact.get("count") or fact.count), default=None)
    name = str(main.get("grad_fn") or "").partition("Backward")[0] if main is not None else ""
    reductions = {str(fact.get("reduction") or "mean") for fact in process.facts("loss_call") if fact.get("train_count")}
    return name.removesuffix("2D") in MEANS and "sum" not in reductions


def _rate_divided(project: Project, optimizer: Fact) -> bool:
    """Whether the text divides the rate, as one does who sums on purpose."""
    place = place_of(optimizer)
    file = project.file(place.file) if place is not None else None
    for call in query.calls_at(file, place.line) if file is not None and place is not None else ():
        rate = query.argument(call, 1, "lr")
        if rate is not None and any(isinstance(node, ast.Div) for node in ast.walk(rate)):
            return True
        if isinstance(rate, ast.Name) and file is not None:
            values = [*query.assigned_values(query.scope_of(file, call), rate.id), *query.assigned_values(file.tree, rate.id)]
            if any(isinstance(node, ast.Div) for value in values for node in ast.walk(value)):
                return True
    return False


def _finding(process: Process, optimizer: Fact, number: int, fact: Fact, times: int, total: int) -> Finding:
    backward, step = call_site(fact, "B"), call_site(fact, "S")
    cls = str(optimizer.get("cls") or "optimizer")
    clipped = "C" in str(fact.get("pattern")).split()  # then the sum is cut to the norm of a mean
    suffers = cls not in SCALE_FREE and not clipped and _suffers(process)
    values: dict[str, Value] = {
        "turns": times,
        "checked": total,
        "backwards": number,
        "optimizer": cls,
        "backward_line": backward.line if backward else 0,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING if suffers else Severity.ADVICE,
        message="summed",
        values=values,
        place=backward or step,
        related=related(step, place_of(optimizer)),
        why="free" if cls in SCALE_FREE else "times",
        fix="divide",
        explains=EXPLAINS if suffers else (),
        confidence=0.9,
    )


def _suffers(process: Process) -> bool:
    left, values = share_left(process), [value for value in losses(process) if math.isfinite(value)]
    if left is None or math.isinf(left) or not values:
        return left is not None
    tenth = max(1, len(values) // 10)
    peak = max(fmean(values[i : i + tenth]) for i in range(0, len(values) - tenth + 1, tenth))
    return left > STUCK or (left > WILD and peak > PEAK * values[0])


def edit(finding: Finding, project: Project) -> Edit | None:
    """``loss.backward()`` becomes ``(loss / k).backward()``."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    statement = query.statement_at(file, finding.place.line)
    call = call_of(statement, "backward") if statement is not None else None
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    number = int(str(finding.values["backwards"]))
    return edits.make(file, [edits.replace_node(file, call.func.value, f"({{loss}} / {number})", loss=call.func.value)], safe=False)


RULE = Rule(
    id="accumulation-not-averaged",
    title="Accumulated gradients are summed, not averaged",
    severity=Severity.WARNING,
    needs=frozenset({"optimizer", "turn", "backward"}),
    examine=examine,
    edit=edit,
)
