"""labels-as-strings: class labels are text where numbers are needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.data.failures import Failure, failures
from doctorch.rules.shared import related
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

_IS_TEXT = re.compile(r"too many dimensions 'str'|invalid data type 'str'|np\.ndarray of type numpy\.str_")
"""What torch says where it is asked to make a tensor of text."""
_MAY_BE_TEXT = re.compile(
    r"np\.ndarray of type numpy\.object_|must be Tensor, not (?:tuple|list|str)|^'(?:tuple|list|str)' object has no attribute '\w+'"
)
"""What is said of text, and of other things."""
READERS = frozenset({"csv.reader", "csv.DictReader"})
"""What they give is text, whatever it looks like."""


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for failure in failures(run, project):
        finding = _from_failure(project, failure)
        if finding is not None:
            yield finding
    yield from examine_source(project)


def _from_failure(project: Project, failure: Failure) -> Finding | None:
    named = failure.fact.get("texts") or {}
    texts = {name: found for name, found in named.items() if not found.get("rows")}
    sure = _IS_TEXT.search(failure.text) is not None
    if failure.place is None or not (sure or (texts and _MAY_BE_TEXT.search(failure.text))):
        return None
    if not texts and (named or _nested(project, failure.place)):
        return None  # rows of a table: that its columns are text is no fault of the labels
    name, found = max(texts.items(), key=lambda item: int(item[1]["n"]), default=("", None))
    if found is not None and found["numbers"] and int(found["n"]) > 1 and _measurements(failure.fact, name):
        return None
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="text" if found is None or int(found["n"]) < 2 else "counted",
        values={"name": name, "n": found["n"], "distinct": found["distinct"]} if found is not None else {},
        place=failure.place,
        related=related(_read_at(project, failure.place, name)),
        why="numbers",
        fix="convert" if found is not None and found["numbers"] else "map",
        ground="error",
        certain_now=True,
    )


def _measurements(fact: Fact, name: str) -> bool:
    """Whether texts that are numbers are no labels: not whole ones, or nearly all different."""
    found = (fact.get("texts") or {})[name]
    return not found.get("whole", True) or (int(found["n"]) > 20 and int(found["distinct"]) > 0.5 * int(found["n"]))


def _nested(project: Project, place: Place) -> bool:
    """Whether the line makes a tensor of a list of lists."""
    file = project.file(place.file)
    for call in query.calls_at(file, place.line) if file is not None else ():
        first = call.args[0] if call.args else None
        if isinstance(first, ast.ListComp) and isinstance(first.elt, ast.List | ast.ListComp | ast.Tuple):
            return True
    return False


def _read_at(project: Project, place: Place, name: str) -> Place | None:
    """The line that collects the texts: ``name.append(…)``, or the last assignment of the name above."""
    file = project.file(place.file)
    if file is None or not name.isidentifier():
        return None
    best = None
    for node in file.nodes:
        line = getattr(node, "lineno", place.line)
        if line >= place.line:
            continue
        collects = isinstance(node, ast.Call) and query.dotted(node.func) in (f"{name}.append", f"{name}.extend")
        binds = isinstance(node, ast.Assign) and any(name in _names(target) for target in node.targets)
        if (collects or (binds and not isinstance(node.value, ast.List | ast.Tuple))) and (best is None or line > best):  # type: ignore[attr-defined]
            best = line
    return Place(file.path, best) if best is not None else None


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def examine_source(project: Project) -> Iterator[Finding]:
    """A field of a row that ``csv`` read is compared with a number: text never equals one."""
    for file in project.files:
        if not any(query.qualified(file, node.func) in READERS for node in file.nodes if isinstance(node, ast.Call)):
            continue
        for node in file.nodes:
            if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq):
                sides = (node.left, node.comparators[0])
                for field, other in (sides, sides[::-1]):
                    if _is_field(file, field) and _is_number(other):
                        yield Finding(
                            rule=RULE.id,
                            severity=Severity.ERROR,
                            message="compared",
                            values={
                                "field": ast.unparse(field),
                                "number": ast.unparse(other),
                                "answer": str(isinstance(node.ops[0], ast.NotEq)),
                            },
                            place=Place(file.path, node.lineno),
                            why="reader",
                            fix="convert",
                            explains=("class-imbalance", "loss-plateau"),
                            ground="source",
                        )


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_field(file: SourceFile, node: ast.expr) -> bool:
    """Whether an expression is one field, by a constant index or name, of a row that a loop takes from a reader of ``csv``."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant | ast.UnaryOp)):
        return False
    name = node.value.id
    scope = query.scope_of(file, node)
    bound = 0
    for one in query.in_scope(scope):
        if isinstance(one, ast.For | ast.comprehension) and name in _names(one.target):
            if not (isinstance(one.target, ast.Name) and _is_reader(file, one.iter)):
                return False
            bound += 1
        elif isinstance(one, ast.Assign | ast.AugAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            for target in targets:
                if name in _names(target):  # also row["label"] = int(row["label"])
                    return False
    return bound > 0


def _is_reader(file: SourceFile, node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        values = query.assigned_values(query.scope_of(file, node), node.id)
        return bool(values) and all(_is_reader(file, value) for value in values if not isinstance(value, ast.Name))
    if not isinstance(node, ast.Call) or query.qualified(file, node.func) not in READERS:
        return False
    return all(keyword.arg != "quoting" for keyword in node.keywords)  # QUOTE_NONNUMERIC reads numbers as numbers


def edit(finding: Finding, project: Project) -> Edit | None:
    """A number in text is made a number before it is compared, or before it goes into a tensor."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.fix != "convert":
        return None
    for node in file.nodes:
        if getattr(node, "lineno", None) != finding.place.line:
            continue
        if finding.message == "compared" and isinstance(node, ast.Compare):
            for side in (node.left, node.comparators[0]):
                if ast.unparse(side) == finding.values["field"]:
                    number = node.comparators[0] if side is node.left else node.left
                    whole = isinstance(number, ast.Constant) and isinstance(number.value, int)
                    return edits.make(file, [edits.wrap_in_call(side, "int" if whole else "float")], safe=False)
        if finding.message == "counted" and isinstance(node, ast.Call) and query.qualified(file, node.func) == "torch.tensor":
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Name) and first.id == finding.values["name"]:
                return edits.make(file, [edits.replace_node(file, first, "[int(text) for text in {texts}]", texts=first)], safe=False)
    return None


RULE = Rule(
    id="labels-as-strings",
    title="Labels are text",
    severity=Severity.ERROR,
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
