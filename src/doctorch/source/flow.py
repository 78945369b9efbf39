"""What an expression is made by, followed through assignments, calls of the project's own functions and modules, and shape operators.

Where the text does not say for sure (an argument, two assignments of which one is unknown, a name of another package), the answer
holds ``None``, and a rule that needs certainty stays silent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

MAX_DEPTH = 12
"""Calls and assignments followed one after the other; deeper than this the text is no longer plain."""

SAME_VALUES = frozenset(
    {
        "view",
        "reshape",
        "flatten",
        "squeeze",
        "unsqueeze",
        "contiguous",
        "float",
        "double",
        "to",
        "cpu",
        "cuda",
        "transpose",
        "permute",
        "clone",
    }
)
"""Tensor methods that keep the values (and which of them belong to one row, as far as a loss over classes is concerned)."""
SAME_MODULE = frozenset({"to", "cuda", "cpu", "train", "eval", "float", "double", "half", "bfloat16", "requires_grad_", "apply"})
"""Module methods that return the module."""


@dataclass(frozen=True)
class Made:
    """An expression that makes a value, and the file in which it stands."""

    file: SourceFile
    node: ast.expr
    """A call; for a module's result, the expression that made the last module (``nn.Softmax(dim=1)``)."""
    is_module: bool = False
    """True: ``node`` constructs the module whose output the value is."""
    applied: ast.Call | None = None
    """The call in ``applied_in`` that applies the module, where the module itself is named there (not a Sequential around it)."""
    applied_in: SourceFile | None = None

    @property
    def shown(self) -> tuple[SourceFile, int]:
        """The file and line to show: where it is applied, else where it is made."""
        if self.applied is not None and self.applied_in is not None:
            return self.applied_in, self.applied.lineno
        return self.file, self.node.lineno


def made_by(project: Project, file: SourceFile, expr: ast.expr, depth: int = 0) -> list[Made | None]:
    """The expressions that may have made the value of ``expr``; None among them stands for «cannot be told»."""
    if depth > MAX_DEPTH:
        return [None]
    if isinstance(expr, ast.Name):
        values = values_of(file, expr)
        return [made for value in values for made in made_by(project, file, value, depth + 1)] or [None]
    if query.is_unknown(expr):
        return [None]
    if isinstance(expr, ast.Call):
        if isinstance(expr.func, ast.Attribute) and expr.func.attr in SAME_VALUES and not query.is_self_attribute(expr.func):
            return made_by(project, file, expr.func.value, depth + 1)
        inside = list(_through_call(project, file, expr, depth + 1))
        return inside or [Made(file, expr)]
    if isinstance(expr, ast.IfExp):
        return [*made_by(project, file, expr.body, depth + 1), *made_by(project, file, expr.orelse, depth + 1)]
    return [Made(file, expr)]


def values_of(file: SourceFile, name: ast.Name) -> list[ast.expr]:
    """What a name may have been assigned where it is read: the assignment that surely comes last before it, if there is one, else
    all in the function around it, else those at the file's top level."""
    last = _last_before(file, name)
    if last is not None:
        return [last]
    scope = query.scope_of(file, name)
    values = query.assigned_values(scope, name.id)
    if not values and scope is not file.tree:
        values = query.assigned_values(file.tree, name.id)
    return values


def _last_before(file: SourceFile, name: ast.Name) -> ast.expr | None:
    """The value of the assignment that a reader finds first on going up from where the name is read, through the blocks around it."""
    statement: ast.AST = name
    while not isinstance(statement, ast.stmt):
        statement = file.parents[statement]
    while True:
        for earlier in reversed(_earlier_in_block(file, statement)):
            values = _bindings(earlier, name.id)
            if not values:
                continue
            plain = isinstance(earlier, ast.Assign | ast.AnnAssign) and len(values) == 1 and not query.is_unknown(values[0])
            return values[0] if plain else None
        around = file.parents.get(statement)
        if not isinstance(around, ast.stmt) or isinstance(around, query.Function | ast.ClassDef):
            return None
        if isinstance(around, query.Loop) and _bindings(around, name.id):
            return None  # bound later in the loop's body: the turn before decides
        statement = around


def _bindings(statement: ast.stmt, name: str) -> list[ast.expr]:
    holder = ast.Module(body=[statement], type_ignores=[])
    return query.assigned_values(holder, name)


def _earlier_in_block(file: SourceFile, statement: ast.AST) -> list[ast.stmt]:
    parent = file.parents[statement]
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and statement in block:
            return block[: block.index(statement)]
    return []


def module_of(project: Project, file: SourceFile, func: ast.expr, depth: int = 0) -> Made | None:
    """The expression that constructs the module (or loss) that ``func`` names, if there is exactly one."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(func, ast.Name):
        values = values_of(file, func)
    elif query.is_self_attribute(func) and isinstance(func, ast.Attribute):
        cls = next((node for node in file.ancestors(func) if isinstance(node, ast.ClassDef)), None)
        found = query.attribute_assignments(cls, func.attr) if cls is not None else []
        values = [statement.value for statement in found if statement.value is not None]
    else:
        values = [func] if isinstance(func, ast.Call) else []
    if len(values) != 1:
        return None
    value = values[0]
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SAME_MODULE:
        if query.qualified(file, value.func) in (None, query.dotted(value.func)):  # not torch.to or the like
            value = value.func.value
        else:
            break
    if isinstance(value, ast.Call) and query.qualified(file, value.func) == "torch.compile" and value.args:
        value = value.args[0]
    if isinstance(value, ast.Name):
        return module_of(project, file, value, depth + 1)
    return Made(file, value, is_module=True) if isinstance(value, ast.Call) else None


def class_of(project: Project, file: SourceFile, constructor: ast.Call) -> tuple[SourceFile, ast.ClassDef] | None:
    """The project's own class that a call constructs."""
    if not isinstance(constructor.func, ast.Name):
        return None
    name = constructor.func.id
    own = query.classes(file).get(name)
    if own is not None:
        return file, own
    target = project.import_target(file, name)
    if target is None:
        return None
    other = query.classes(target[0]).get(target[1])
    return (target[0], other) if other is not None else None


def _through_call(project: Project, file: SourceFile, call: ast.Call, depth: int) -> Iterator[Made | None]:
    """What made the result of a call of the project's own function or module; nothing for calls into other packages."""
    if isinstance(call.func, ast.Name):
        functions = [node for node in file.tree.body if isinstance(node, query.Function) and node.name == call.func.id]
        if functions:
            yield from _returns(project, file, functions[-1], depth)
            return
    module = module_of(project, file, call.func, depth)
    if module is not None:
        for made in _module_output(project, module, depth):
            yield replace(module, applied=call, applied_in=file) if made is module else made
    elif isinstance(call.func, ast.Name) and call.func.id not in file.aliases:
        yield None  # a callable that the text does not define


def _module_output(project: Project, module: Made, depth: int) -> Iterator[Made | None]:
    constructor = module.node
    if not isinstance(constructor, ast.Call) or depth > MAX_DEPTH:
        yield None
        return
    if query.qualified(module.file, constructor.func) == "torch.nn.Sequential":
        last = constructor.args[-1] if constructor.args else None
        if isinstance(last, ast.Call):
            yield from _module_output(project, Made(module.file, last, is_module=True), depth + 1)
        else:
            yield None
        return
    own = class_of(project, module.file, constructor)
    if own is None:
        yield module
        return
    forward = query.methods(own[1]).get("forward")
    if forward is None:
        yield None
    else:
        yield from _returns(project, own[0], forward, depth)


def _returns(project: Project, file: SourceFile, function: query.Function, depth: int) -> Iterator[Made | None]:
    values = [node.value for node in query.in_scope(function) if isinstance(node, ast.Return)]
    if not values:
        yield None
    for value in values:
        if value is None:
            yield None
        else:
            yield from made_by(project, file, value, depth + 1)
