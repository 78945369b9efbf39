"""grad-clip-misplaced: gradients are clipped where it has no effect, or while they are scaled."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.turns import MIN_TURNS, call_site, turns
from doctorch.rules.shared import call_of, place_of, related
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

NO_BOUND = 1e6
"""From here on a bound is none: the call is made for the norm that it returns."""
EXPLAINS = ("exploding-gradients", "loss-diverges", "grad-clip-too-small")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        if not any(fact.get("steps") for fact in process.facts("optimizer")):
            continue  # moved by hand: where a step ends is not known
        finding = _late(process) or _scaled(process)
        if finding is not None:
            yield finding


def _clips(fact: Fact) -> bool:
    return "C" in str(fact.get("pattern") or "").split()


def _count(process: Process, name: str) -> tuple[Fact, int, int] | None:
    """A pattern of that kind, the turns that show it, and the turns with clipping; None unless all of these show it."""
    clipping = [fact for fact in turns(process) if _clips(fact)]
    matching = [fact for fact in clipping if fact.get(name)]
    number, total = sum(fact.count for fact in matching), sum(fact.count for fact in clipping)
    return (matching[0], number, total) if number >= MIN_TURNS and number == total else None


def _late(process: Process) -> Finding | None:
    """Clipped after the step, or before backward."""
    found = _count(process, "clipped_late")
    if found is None:
        return None
    fact, number, total = found
    clip, step, backward = (call_site(fact, letter) for letter in ("C", "S", "B"))
    limit = _limit(process, clip)
    if limit is None:
        return None  # an infinite bound: the norm is only looked at
    after = clip is not None and step is not None and clip.file == step.file and clip.line > step.line
    return _finding(
        "after-step" if after else "before-backward",
        {"turns": number, "checked": total, "limit": limit, "step_line": step.line if step else 0},
        clip,
        (step, backward),
        why="too-late" if after else "too-early",
        fix="between",
        certain_now=number >= 10,
    )


def _scaled(process: Process) -> Finding | None:
    """Clipped before the gradients were unscaled."""
    found = _count(process, "clipped_scaled")
    scales = [float(scale) for scaler in process.facts("scaler") for _, scale in scaler.get("trace") or ()]
    if found is None or not any(scale > 1 for scale in scales):
        return None
    fact, number, total = found
    clip, scaled = call_site(fact, "C"), call_site(fact, "G")
    limit = _limit(process, clip)
    if limit is None:
        return None
    values: dict[str, Value] = {"turns": number, "checked": total, "limit": limit, "scale": scales[0], "bound": limit / scales[0]}
    return _finding("scaled", values | {"step_line": scaled.line if scaled else 0}, clip, (scaled,), why="scaled-why", fix="unscale")


def _limit(process: Process, clip: Place | None) -> float | None:
    """What was clipped to at that line; None for one that no gradient reaches, and where it is not known."""
    found = next((fact for fact in process.facts("clip") if place_of(fact) == clip), None)
    limit = float(found.get("limit") or math.nan) if found is not None else math.nan
    return limit if limit < NO_BOUND else None


def _finding(
    message: str,
    values: dict[str, Value],
    clip: Place | None,
    others: tuple[Place | None, ...],
    *,
    why: str,
    fix: str,
    certain_now: bool = False,
) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message=message,
        values=values,
        place=clip,
        related=related(*others),
        why=why,
        fix=fix,
        explains=EXPLAINS,
        certain_now=certain_now,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Move the clipping before the step of the same block, or unscale before it."""
    file = project.file(finding.place.file) if finding.place else None
    line = finding.values.get("step_line")
    if file is None or finding.place is None or not isinstance(line, int) or not line:
        return None
    clip, step = query.statement_at(file, finding.place.line), query.statement_at(file, line)
    if not isinstance(clip, ast.Expr) or step is None or step not in query.block_of(file, clip):
        return None
    if finding.message == "after-step":
        return edits.make(file, [edits.move_before(clip, step)], safe=True)
    return _unscaled(file, clip, step) if finding.message == "scaled" else None


def _unscaled(file: SourceFile, clip: ast.stmt, step: ast.stmt) -> Edit | None:
    call = call_of(step, "step")
    if call is None or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    text = f"{file.segment(call.func.value)}.unscale_({file.segment(call.args[0])})"
    return edits.make(file, [edits.insert_before(clip, text)], safe=True)


RULE = Rule(
    id="grad-clip-misplaced",
    title="Gradients are clipped at the wrong place",
    severity=Severity.WARNING,
    needs=frozenset({"turn", "clip"}),
    examine=examine,
    edit=edit,
)
