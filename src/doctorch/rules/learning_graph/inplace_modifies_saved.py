"""inplace-modifies-saved: a tensor that backward needs was changed in place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, shape_text, site_place

ERROR = "modified by an inplace operation"
SHAPE = re.compile(r"\[torch\.\S*Tensor \[([\d, ]*)\]\]")
VERSION = re.compile(r"is at version (\d+); expected version (\d+)")


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("exception"):
        if ERROR in str(fact.get("message") or ""):
            yield _finding(fact.process, fact)
            return


def _finding(process: Process, fact: Fact) -> Finding:
    text = str(fact.get("message"))
    match = SHAPE.search(text)
    shape = [int(size) for size in match[1].split(",") if size.strip()] if match else []
    changed = sorted((one for one in process.facts("inplace") if one.get("shape") == shape), key=lambda one: one.line or 0)
    here = Place(fact.file, fact.line) if fact.file and fact.line else None
    stepped = None if changed else _stepped(process, shape)
    first = changed[0] if changed else None
    made = site_place(first.get("made_site")) if first is not None else None
    versions = VERSION.search(text)
    values: dict[str, Value] = {
        "shape": shape_text(shape),
        "op": str(first.get("op")) if first is not None else "",
        "made_by": str(first.get("made_by") or "an operator") if first is not None else "",
        "made_line": made.line if made else 0,
        "backward_line": here.line if here else 0,
        "times": int(versions[1]) - int(versions[2]) if versions else 1,
    }
    message = (
        "changed" if first is not None and made is not None else "changed-only" if first is not None else "step" if stepped else "error"
    )
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=(place_of(first) if first is not None else None) or stepped or here,
        related=related(made, *(place_of(one) for one in changed[1:]), here),
        why="saved",
        fix="order" if stepped else "copy",
        ground="error",
    )


def _stepped(process: Process, shape: list[int]) -> Place | None:
    """The step that changed a weight of that shape (or of its transpose), where nothing of the forward did."""
    shapes = [list(param.get("shape") or ()) for param in process.facts("param") if param.get("optimizer") is not None]
    if shape not in shapes and shape[::-1] not in shapes:
        return None
    return next((place for one in process.facts("optimizer") if (place := site_place(one.get("step_site"))) is not None), None)


RULE = Rule(
    id="inplace-modifies-saved",
    title="A tensor that backward needs was changed in place",
    severity=Severity.ERROR,
    needs=frozenset({"exception"}),
    examine=examine,
)
