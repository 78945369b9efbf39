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
OUTPUT = re.compile(r"which is output \d+ of (\w+)")
EXPLAINS = ("loss-plateau",)
VERSION = re.compile(r"is at version (\d+); expected version (\d+)")


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("exception"):
        if ERROR in str(fact.get("message") or ""):
            yield _finding(fact.process, fact)
            return


def _finding(process: Process, fact: Fact) -> Finding:
    text = str(fact.get("message"))
    shape, versions = _shape(text), VERSION.search(text)
    saver = _saver(process)
    changed = _changed(process, text, shape, saver)
    here = Place(fact.file, fact.line) if fact.file and fact.line else None
    stepped = None if changed is not None else _stepped(process, shape)
    saved_at = place_of(saver) if saver is not None else None
    if changed is not None:
        message = "changed" if saved_at is not None else "changed-only"
    else:
        message = "step" if stepped else "saved-only" if saved_at is not None else "error"
    values: dict[str, Value] = {
        "shape": shape_text(shape),
        "op": str(changed.get("op")) if changed is not None else "",
        "saver": _spoken(str(saver.get("node"))) if saver is not None else "",
        "saved_line": saved_at.line if saved_at else 0,
        "backward_line": here.line if here else 0,
        "times": int(versions[1]) - int(versions[2]) if versions else 1,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=(place_of(changed) if changed is not None else None) or stepped or saved_at or here,
        related=related(saved_at, site_place(changed.get("made_site")) if changed is not None else None, here),
        why="saved",
        fix="order" if stepped else "copy",
        explains=EXPLAINS,
        ground="error",
        certain_now=True,
    )


def changed_by_step(process: Process, error: str) -> bool:
    """Whether what backward's error tells of is a weight that an optimizer's step changed."""
    shape = _shape(error)
    return _changed(process, error, shape, _saver(process)) is None and _stepped(process, shape) is not None


def _shape(text: str) -> list[int]:
    match = SHAPE.search(text)
    return [int(size) for size in match[1].split(",") if size.strip()] if match else []


def _saver(process: Process) -> Fact | None:
    """The operator for whose gradient the tensor was saved: of those that refuse, the one whose turn comes first."""
    return max(process.facts("inplace_saver"), key=lambda one: int(one.get("number") or 0), default=None)


def _changed(process: Process, text: str, shape: list[int], saver: Fact | None) -> Fact | None:
    """The first operator that changed the tensor after it was saved: it found it at the version that backward expects."""
    output, versions = OUTPUT.search(text), VERSION.search(text)
    expected = int(versions[2]) if versions else 0
    op = _spoken(output[1]) if output else ""
    number = int(saver.get("number") or 0) if saver is not None else -1
    segment = saver.get("segment") if saver is not None else None
    found: list[tuple[tuple[bool, bool, bool], int, Fact]] = []
    for one in process.facts("inplace"):
        if segment is not None and one.get("segment") != segment:
            continue
        after = [at for version, at in one.get("changes") or () if version == expected and at > number]
        alike, named = one.get("shape") == shape, str(one.get("op")).strip("_").replace("_", "") == op
        if not (alike or (after and op == "copyslices")):
            continue
        found.append(((not after, not alike, not named), min(after, default=one.line or 0), one))
    return min(found, key=lambda one: one[:2], default=((), 0, None))[2]


def _spoken(node: str) -> str:
    """``SigmoidBackward0`` is ``sigmoid``."""
    return re.sub(r"Backward\d*$", "", node).lower()


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
