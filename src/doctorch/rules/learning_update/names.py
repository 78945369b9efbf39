"""What the text calls an object of the record: the names that are assigned on the line where it was built."""

from __future__ import annotations

import ast

from doctorch.findings import Place
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project


def names_of(project: Project, place: Place | None) -> list[str]:
    """``["opt"]`` of ``opt = SGD(…)``, ``["self.opt"]`` of ``self.opt = SGD(…)``; empty where the line assigns nothing."""
    file = project.file(place.file) if place is not None else None
    statement = query.statement_at(file, place.line) if file is not None and place is not None else None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AnnAssign) else []
    return [name for target in targets if (name := query.dotted(target)) is not None]


NO_OPTIMIZERS = ("sched", "env", "prof", "writer", "warmup")
"""Parts of names of other things that have a method ``step``."""


def step_call(files: list[SourceFile], names: list[str], taken: list[str]) -> Place | None:
    """Where the text steps an optimizer of these names (``opt.step()``, ``scaler.step(opt)``), or one by a name that is not taken."""
    for file in files:
        for node in file.nodes:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "step":
                continue
            receiver = query.dotted(node.func.value) or ""
            known = receiver in names or any(query.dotted(one) in names for one in node.args)
            if known or (not node.args and receiver not in taken and not _is_other(file, node, receiver)):
                return Place(file.path, node.lineno)
    return None


def _is_other(file: SourceFile, call: ast.Call, receiver: str) -> bool:
    """Whether what is stepped is no optimizer: a scheduler, an environment, a profiler, the object itself."""
    if receiver == "self" or any(part in receiver.lower() for part in NO_OPTIMIZERS):
        return True
    name = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(name, ast.Name):
        return False
    values = [*query.assigned_values(query.scope_of(file, call), name.id), *query.assigned_values(file.tree, name.id)]
    return any(isinstance(value, ast.Call) and "lr_scheduler" in (query.qualified(file, value.func) or "") for value in values)


def uncalled_step(files: list[SourceFile]) -> tuple[SourceFile, ast.Expr] | None:
    """A statement that names a method ``step`` and forgets the parentheses."""
    for file in files:
        for node in file.nodes:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == "step":
                return file, node
    return None
