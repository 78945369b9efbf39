"""Which optimizer a line steps: the expression in the text that stands for an optimizer of the record."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.findings import Place
from doctorch.records.reader import Fact, Process
from doctorch.rules.shared import place_of, site_place
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project


@dataclass(frozen=True)
class Step:
    """A call that steps an optimizer."""

    file: SourceFile
    call: ast.Call
    optimizer: ast.expr
    """``opt`` in ``opt.step()``, ``scaler.step(opt)`` and ``accelerator.step(opt)``."""

    @property
    def name(self) -> str:
        """The optimizer as the text writes it."""
        return self.file.segment(self.optimizer)

    @property
    def has_closure(self) -> bool:
        """Whether backward runs inside the step, in a function that is handed to it."""
        return bool(self.call.args or self.call.keywords) and self.optimizer not in self.call.args


def steps_at(file: SourceFile, line: int) -> list[Step]:
    """The stepping calls of a line, in the order of the text."""
    calls = [call for call in query.calls_at(file, line) if isinstance(call.func, ast.Attribute) and call.func.attr == "step"]
    calls.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [Step(file, call, _stepped(file, call)) for call in calls]


def _stepped(file: SourceFile, call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    first = call.args[0] if len(call.args) == 1 else None
    if not isinstance(first, ast.Name | ast.Attribute) or _is_function(file, first):
        return call.func.value
    return first


def _is_function(file: SourceFile, node: ast.expr) -> bool:
    """Whether a name is that of a function of the file: the closure of ``opt.step(closure)``."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if any(isinstance(one, query.Function) and one.name == name for one in file.nodes):
        return True
    return isinstance(node, ast.Name) and any(isinstance(value, ast.Lambda) for value in _values(file, node))


def step_of(project: Project, process: Process, optimizer: Fact) -> Step | None:
    """The call that steps an optimizer of the record, or None where the text does not tell which of several it is."""
    place, built = site_place(optimizer.get("step_site")), place_of(optimizer)
    file = project.file(place.file) if place is not None else None
    if file is None or place is None:
        return None
    here: dict[str, tuple[tuple[int, int], Step]] = {}
    unknown: dict[str, Step] = {}
    for step in steps_at(file, place.line):
        made = [value for value in _values(file, step.optimizer) if isinstance(value, ast.Call)]
        matching = [value for value in made if _is_at(file, value, built)]
        if matching:
            here.setdefault(step.name, ((matching[0].lineno, matching[0].col_offset), step))
        elif not made:
            unknown.setdefault(step.name, step)
    if not here:
        return next(iter(unknown.values())) if len(unknown) == 1 else None
    found = [step for _, step in sorted(here.values(), key=lambda pair: pair[0])]
    if len(found) == 1:
        return found[0]
    # Several are made on one line: the record numbers them in the order in which they were made.
    peers = sorted(int(one.key) for one in process.facts("optimizer") if place_of(one) == built)
    return found[peers.index(int(optimizer.key))] if len(peers) == len(found) else None


def _is_at(file: SourceFile, value: ast.expr, built: Place | None) -> bool:
    return built is not None and built.file == file.path and query.spans(value, built.line)


def _values(file: SourceFile, node: ast.expr) -> list[ast.expr]:
    """What a name or an attribute of ``self`` is assigned in the file."""
    if isinstance(node, ast.Name):
        own = query.assigned_values(query.scope_of(file, node), node.id)
        return own or query.assigned_values(file.tree, node.id)
    if query.is_self_attribute(node) and isinstance(node, ast.Attribute):
        return list(_attribute_values(file, node))
    return []


def _attribute_values(file: SourceFile, node: ast.Attribute) -> Iterator[ast.expr]:
    cls = next((one for one in file.ancestors(node) if isinstance(one, ast.ClassDef)), None)
    for statement in query.attribute_assignments(cls, node.attr) if cls is not None else ():
        if statement.value is not None:
            yield statement.value
