"""The lines of the data behind a call: what the rules of this folder name."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from doctorch.analysis.packages import package_at
from doctorch.findings import Place
from doctorch.records.reader import Fact, Process
from doctorch.rules.shared import place_of
from doctorch.source import origin, query
from doctorch.source.files import SourceFile
from doctorch.source.origin import Origin
from doctorch.source.project import Project

NO_MODELS = origin.SAME | frozenset(
    {"item", "backward", "append", "argmax", "squeeze", "view", "reshape", "float", "sum", "mean", "add_", "update", "size"}
    | {"to", "cuda", "cpu", "unsqueeze", "flatten", "permute", "transpose", "movedim", "expand", "repeat", "contiguous", "clone"}
)
"""Methods of what goes into a model or comes out of it, on the line of the model's call."""


def input_expression(project: Project, fact: Fact) -> tuple[SourceFile, ast.expr] | None:
    """The argument of the model's call that a fact of kind ``input`` stands for."""
    file = project.file(fact.file)
    if file is None or fact.line is None:
        return None
    name = str(fact.get("name") or "0").split(".")[0]
    calls = [call for call in query.calls_at(file, fact.line) if _may_be_model(file, call)]
    # Of ``criterion(model(x.to(device)), y)`` the innermost is meant that may be a model: the one that holds none of the others.
    for call in sorted(calls, key=lambda one: sum(inner in calls for inner in ast.walk(one) if isinstance(inner, ast.Call))):
        value = query.argument(call, int(name), "") if name.isdigit() else query.argument(call, 99, name)
        if value is not None and not isinstance(value, ast.Constant):
            return file, value
    return None


def _may_be_model(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call may be that of a model, and is not one that makes or changes what a model is given."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in NO_MODELS:
        return False
    if isinstance(call.func, ast.Name) and hasattr(builtins, call.func.id):
        return False
    return not (query.qualified(file, call.func) or "").startswith(("torch.", "numpy."))


def target_expression(project: Project, fact: Fact) -> tuple[SourceFile, ast.expr] | None:
    """The second argument of the loss's call that a fact of kind ``target`` stands for."""
    file = project.file(fact.file)
    if file is None or fact.line is None:
        return None
    for call in query.calls_at(file, fact.line):
        if isinstance(call.func, ast.Attribute) and call.func.attr in NO_MODELS:
            continue
        value = query.argument(call, 1, "target")
        if value is not None and not isinstance(value, ast.Constant):
            return file, value
    return None


def batch_expressions(project: Project, process: Process) -> Iterator[tuple[SourceFile, ast.expr]]:
    """What the user's code makes batches of, for loaders that it hands to a package: the values that the function returns which
    collates the samples, else those of the data set's ``__getitem__``, else the dictionaries with the names of the model's arguments."""
    some = False
    for fact in process.facts("loader"):
        if not fact.get("batches"):
            continue
        site = fact.get("collate_site") or fact.get("dataset_site") or {}
        file = project.file(site.get("file"))
        function = query.function_at(file, int(site["line"])) if file is not None else None
        for node in query.in_scope(function) if function is not None else ():
            if file is not None and isinstance(node, ast.Return) and node.value is not None:
                some = True
                yield file, node.value
    names = {str(fact.get("name")) for fact in process.facts("input") if not str(fact.get("name"))[:1].isdigit()}
    for file in project.files if names and not some else ():
        for node in file.nodes:
            if isinstance(node, ast.Dict) and any(isinstance(key, ast.Constant) and key.value in names for key in node.keys):
                yield file, node


def batch_line(project: Project, process: Process) -> Place | None:
    """The one line that returns batches, or None where there are several or none."""
    found = {Place(file.path, value.lineno) for file, value in batch_expressions(project, process)}
    return found.pop() if len(found) == 1 else None


def input_chain(project: Project, fact: Fact) -> list[Origin]:
    """From the call of the model that a fact of kind ``input`` stands for back to the data, nearest first."""
    found = input_expression(project, fact)
    return origin.chain(project, *found) if found is not None else []


def made_at(chain: list[Origin]) -> Place | None:
    """The line that makes the data: the last stop, unless the way ends at a name that the text does not explain."""
    last = chain[-1] if chain else None
    if last is None or isinstance(last.node, ast.Name | ast.Attribute):
        return None
    return Place(last.file.path, last.line)


def data_place(project: Project, fact: Fact) -> tuple[Place | None, tuple[Place, ...]]:
    """The line that makes what a model is given, and the lines on the way to the call."""
    chain = input_chain(project, fact)
    call = place_of(fact)
    place = made_at(chain)
    if place is None and package_at(fact.process, call) is not None:
        place = batch_line(project, fact.process)
    place = place or call
    others = [Place(stop.file.path, stop.line) for stop in reversed(chain)]
    return place, tuple(dict.fromkeys(one for one in (*others, call) if one is not None and one != place))
