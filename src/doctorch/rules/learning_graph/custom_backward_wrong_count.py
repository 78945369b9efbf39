"""custom-backward-wrong-count: a custom backward returns another number of gradients than its forward has inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.custom import backward_place, class_of, forward_names
from doctorch.rules.shared import place_of, related
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

ERROR = re.compile(r"[Ff]unction (\w+?)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)")
PRODUCTS = (ast.Mult, ast.Div, ast.MatMult, ast.Pow, ast.Sub)
"""Operators that give one tensor; ``+`` joins tuples too."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for fact in process.facts("backward"):
            match = ERROR.search(str(fact.get("error") or ""))
            if match is not None:
                yield _found(run, process, fact, match)
                return


def _found(run: Run, process: Process, failed: Fact, match: re.Match[str]) -> Finding:
    name, expected, got = match[1], int(match[2]), int(match[3])
    known = next((fact for fact in process.facts("function") if fact.get("cls") == name), None)
    project = project_of(run)
    paths = [known.file] if known is not None else [file.path for file in project.files]
    cls = next((found for path in paths if (found := class_of(project, path, name)) is not None), None)
    place = backward_place(cls, known) or place_of(failed)
    names = forward_names(cls[1]) if cls is not None else []
    return _finding(name, expected, got, names, place, "raised", related(place_of(failed)))


def _finding(
    name: str, expected: int, got: int, names: list[str], place: Place | None, message: str, more: tuple[Place, ...] = ()
) -> Finding:
    missing = names[got:expected] if len(names) >= expected > got else []
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={"name": name, "expected": expected, "got": got, "missing": ", ".join(missing)},
        place=place,
        related=more,
        fix="some" if missing else "each",
        ground="error" if message == "raised" else "source",
        certain_now=True,
    )


def examine_source(project: Project) -> Iterator[Finding]:
    for file in project.files:
        for cls in query.classes(file).values():
            if any(query.qualified(file, base) in ("torch.autograd.Function", "torch.autograd.function.Function") for base in cls.bases):
                yield from _counted(file, cls)


def _counted(file: SourceFile, cls: ast.ClassDef) -> Iterator[Finding]:
    methods = query.methods(cls)
    forward, backward = methods.get("forward"), methods.get("backward")
    if forward is None or backward is None or forward.args.vararg or forward.args.defaults:
        return
    names = forward_names(cls)
    for node in query.in_scope(backward):
        if isinstance(node, ast.Return) and node.value is not None:
            got = _count(node.value, len(names))
            if got is not None and got != len(names):
                yield _finding(cls.name, len(names), got, names, Place(file.path, node.lineno), "text")


def _count(value: ast.expr, expected: int) -> int | None:
    """How many gradients an expression is, without the Nones beyond those expected, which are dropped; None where the text does not say."""
    if isinstance(value, ast.Tuple):
        if any(isinstance(item, ast.Starred) for item in value.elts):
            return None
        items = list(value.elts)
        while len(items) > expected and isinstance(items[-1], ast.Constant) and items[-1].value is None:
            items.pop()
        return len(items)
    if isinstance(value, ast.BinOp) and isinstance(value.op, PRODUCTS):
        joined = any(isinstance(node, ast.Tuple | ast.List | ast.Starred) for node in ast.iter_child_nodes(value))
        return None if joined else 1
    return None


def edit(finding: Finding, project: Project) -> Edit | None:
    """Add None for the inputs at the end, where the forward hands none of them to save_for_backward and merely keeps or reads them."""
    file = project.file(finding.place.file) if finding.place else None
    statement = query.statement_at(file, finding.place.line) if file is not None and finding.place is not None else None
    missing = [name for name in str(finding.values.get("missing") or "").split(", ") if name]
    if file is None or not isinstance(statement, ast.Return) or statement.value is None or not missing:
        return None
    cls = query.classes(file).get(str(finding.values.get("name")))
    if cls is None or any(_is_saved(cls, name) for name in missing):
        return None
    value = statement.value
    items = list(value.elts) if isinstance(value, ast.Tuple) else [value]
    if len(items) != finding.values.get("got"):
        return None
    parts = {f"part{number}": item for number, item in enumerate(items)}
    template = ", ".join([*(f"{{{name}}}" for name in parts), *("None" for _ in missing)])
    return edits.make(file, [edits.replace_node(file, value, template, **parts)], safe=False)


def _is_saved(cls: ast.ClassDef, name: str) -> bool:
    """Whether an input is handed to save_for_backward: then it is a tensor, and may want a gradient."""
    for method in query.methods(cls).values():
        for node in query.in_scope(method):
            saves = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "save_for_backward"
            if saves and any(isinstance(inner, ast.Name) and inner.id in (name, "inputs") for inner in ast.walk(node)):
                return True
    return False


RULE = Rule(
    id="custom-backward-wrong-count",
    title="A custom backward returns the wrong number of gradients",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
