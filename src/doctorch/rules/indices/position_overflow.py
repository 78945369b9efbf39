"""position-overflow: a sequence is longer than the table of position embeddings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from doctorch.analysis.packages import package_at
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules import settings
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables
from doctorch.rules.settings import own_line
from doctorch.rules.shared import place_of, related
from doctorch.source import query
from doctorch.source.project import Project, project_of

_EXPANDED = re.compile(r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension 1")
_SIZES = re.compile(r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)")


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for bad in tables.bad_indices(run, tables.EMBEDDINGS | tables.OTHERS):
        if bad.above and tables.is_position(project, bad):
            yield _finding("longer", tables.own_line(run, project, bad, settings.POSITIONS), tables.shown(bad), bad.built)
    for fact in run.main_facts("exception"):
        found = _cut_short(project, fact)
        inside = _inside_package(run, project, fact) if found is None else None
        if inside is not None:
            place, values = inside
            yield _finding("short", place, values, place_of(fact) if place != place_of(fact) else None)
        elif found is not None:
            name, needed, size = found
            yield _finding("short", place_of(fact), {"module": name, "needed": needed, "size": size}, _made(project, fact, name))


def _finding(message: str, place: Place | None, values: Mapping[str, Value], made: Place | None) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=place,
        related=related(made),
        why="rows" if message == "longer" else "slice",
        fix="truncate",
        ground="values" if message == "longer" else "error",
        certain_now=True,
    )


def _cut_short(project: Project, fact: Fact) -> tuple[str, int, int] | None:
    """Two sizes that do not fit, where the smaller is that of a table which the line cuts to the length of the sequence: its name, the
    positions needed, and those it has."""
    match = _SIZES.search(str(fact.get("message") or ""))
    file = project.file(fact.file)
    if match is None or file is None or fact.line is None:
        return None
    sizes = int(match[1]), int(match[2])
    tensors = fact.get("tensors") or {}
    for node in file.nodes:
        if not (isinstance(node, ast.Subscript) and node.lineno == fact.line and _cut_to_length(node.slice)):
            continue
        name = query.dotted(node.value)
        shape = (tensors.get(name) or {}).get("shape") or ()
        # The last dimension of a table of positions is its width.
        if name is not None and "." in name and min(sizes) in shape[:-1] and max(sizes) not in shape and max(sizes) > min(sizes) > 1:
            return name, max(sizes), min(sizes)
    return None


def _inside_package(run: Run, project: Project, fact: Fact) -> tuple[Place | None, dict[str, Value]] | None:
    """The same in the model of a package, whose configuration says how many positions it has."""
    process, place = run.main, place_of(fact)
    match = next((found for one in (_SIZES, _EXPANDED) if (found := one.search(str(fact.get("message") or "")))), None)
    if process is None or match is None or package_at(process, place) is None:
        return None
    needed, size = max(int(match[1]), int(match[2])), min(int(match[1]), int(match[2]))
    for module in process.facts("module"):
        known = module.get("positions") or {}
        name = next((name for name, value in known.items() if value == size), None)
        if name is not None:
            return own_line(project, process, place, settings.POSITIONS, [size]), {
                "module": f"{name} of {module.get('cls')}", "needed": needed, "size": size,
            }  # fmt: skip
    return None


def _cut_to_length(index: ast.expr) -> bool:
    """Whether an index cuts to a length that is not a number in the text: ``[:n]``, ``[:, : x.size(1)]``."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(one, ast.Slice) and one.upper is not None and not isinstance(one.upper, ast.Constant) for one in parts)


def _made(project: Project, fact: Fact, name: str) -> Place | None:
    """The line that sets the attribute or registers the buffer."""
    file = project.file(fact.file)
    attribute = name.rpartition(".")[2]
    for cls in query.classes(file).values() if file is not None else ():
        if file is None or not query.spans(cls, fact.line or 0):
            continue
        for node in ast.walk(cls):
            registers = isinstance(node, ast.Call) and query.dotted(node.func) == "self.register_buffer"
            first = node.args[0] if registers and isinstance(node, ast.Call) and node.args else None
            if isinstance(first, ast.Constant) and first.value == attribute:
                return Place(file.path, first.lineno)
        assigned = query.attribute_assignments(cls, attribute)
        if assigned:
            return Place(file.path, assigned[0].lineno)
    return None


RULE = Rule(id="position-overflow", title="Sequence longer than the position table", severity=Severity.ERROR, examine=examine)
