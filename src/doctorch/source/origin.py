"""Where a batch comes from: from a call in the loop back through loaders, data sets, indexing and functions to the lines that make
the data. What cannot be followed ends the chain; no line is guessed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.source import flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

MAX_DEPTH = 24
SAME = flow.SAME_VALUES | frozenset({"detach", "numpy", "long", "int", "half", "bfloat16", "type", "pin_memory", "requires_grad_", "copy"})
"""Methods whose result holds the same samples."""
WRAPPERS = frozenset(
    {
        "torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.stack",
        "numpy.array", "numpy.asarray", "enumerate", "iter", "next", "list", "tuple", "tqdm", "tqdm.tqdm", "tqdm.auto.tqdm",
        "torch.utils.data.DataLoader", "torch.utils.data.Subset", "torch.utils.data.random_split", "torch.utils.data.dataloader.DataLoader",
        "itertools.islice", "itertools.cycle",
    }
)  # fmt: skip
"""Calls whose first argument holds the same samples."""
ZIPS = frozenset({"zip", "torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset"})
"""Calls that make tuples: the k-th element comes from the k-th argument."""


@dataclass(frozen=True)
class Origin:
    """One stop on the way back."""

    file: SourceFile
    node: ast.expr
    line: int
    """Of the statement that binds or makes the value."""


def chain(project: Project, file: SourceFile, expr: ast.expr, path: tuple[int, ...] = ()) -> list[Origin]:
    """The stops from an expression back to where its values are made, nearest first. ``path``: which element of a tuple is meant."""
    found: list[Origin] = []
    seen: set[tuple[int, tuple[int, ...]]] = set()
    step: tuple[SourceFile, ast.expr, tuple[int, ...]] | None = (file, expr, path)
    while step is not None and len(found) < MAX_DEPTH:
        key = (id(step[1]), step[2])
        if key in seen:
            break
        seen.add(key)
        statement = query.statement_of(step[0], step[1])
        line = statement.lineno if statement is not None and not isinstance(statement, query.Function | ast.ClassDef) else step[1].lineno
        if not found or (found[-1].file, found[-1].line) != (step[0], line):
            found.append(Origin(step[0], step[1], line))
        else:
            found[-1] = Origin(step[0], step[1], line)
        step = back(project, *step)
    return found


Step = tuple[SourceFile, ast.expr, tuple[int, ...]] | None


def back(project: Project, file: SourceFile, node: ast.expr, path: tuple[int, ...]) -> Step:
    """One step back, or None where the text does not tell or the value is made here."""
    if isinstance(node, ast.Tuple | ast.List):
        if path and path[0] < len(node.elts):
            return file, node.elts[path[0]], path[1:]
        return None
    if isinstance(node, ast.Starred):
        return file, node.value, path
    if isinstance(node, ast.Name):
        return _binding(project, file, node, path)
    if isinstance(node, ast.Subscript):
        index = node.slice
        if isinstance(index, ast.Constant) and isinstance(index.value, int) and not path:
            return file, node.value, (index.value,)
        return file, node.value, path
    if isinstance(node, ast.Attribute):
        return _attribute(file, node, path)
    if isinstance(node, ast.Call):
        return _call(project, file, node, path)
    return None


def _call(project: Project, file: SourceFile, node: ast.Call, path: tuple[int, ...]) -> Step:
    name = query.qualified(file, node.func) or ""
    if name in ZIPS:
        if path and path[0] < len(node.args) and not any(isinstance(a, ast.Starred) for a in node.args):
            return file, node.args[path[0]], path[1:]
        return None
    if name in WRAPPERS or name.endswith((".DataLoader", ".prepare")):
        first = query.argument(node, 0, "dataset")
        if first is None:
            return None
        if name == "enumerate":
            return (file, first, path[1:]) if path[:1] == (1,) else None
        if name.endswith("random_split"):
            path = path[1:]
        return file, first, path
    if isinstance(node.func, ast.Attribute) and node.func.attr in SAME and name not in WRAPPERS:
        return file, node.func.value, path
    if isinstance(node.func, ast.Name):
        functions = [one for one in file.tree.body if isinstance(one, query.Function) and one.name == node.func.id]
        where = file
        if not functions and (target := project.import_target(file, node.func.id)) is not None:
            where = target[0]
            functions = [one for one in where.tree.body if isinstance(one, query.Function) and one.name == target[1]]
        if functions:
            returned = _returned(functions[-1])
            return (where, returned, path) if returned is not None else None
        own = flow.class_of(project, file, node)
        if own is not None:
            return _item(own[0], own[1], path)
    return None


def _returned(function: query.Function) -> ast.expr | None:
    """What a function returns or yields, where that is said once."""
    values = [n.value for n in query.in_scope(function) if isinstance(n, ast.Return | ast.Yield) and n.value is not None]
    return values[-1] if len(values) == 1 else None


def _item(file: SourceFile, cls: ast.ClassDef, path: tuple[int, ...]) -> Step:
    methods = query.methods(cls)
    for name in ("__getitem__", "__iter__", "batch", "sample"):
        if name in methods:
            returned = _returned(methods[name])
            if returned is not None:
                return file, returned, path
    return None


def _attribute(file: SourceFile, node: ast.Attribute, path: tuple[int, ...]) -> Step:
    if not query.is_self_attribute(node):
        return (file, node.value, path) if node.attr in ("data", "T", "values") else None
    cls = next((one for one in file.ancestors(node) if isinstance(one, ast.ClassDef)), None)
    if cls is None:
        return None
    for statement in ast.walk(cls):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if query.is_self_attribute(target, node.attr):
                    return file, statement.value, path
                if isinstance(target, ast.Tuple):
                    for k, element in enumerate(target.elts):
                        if query.is_self_attribute(element, node.attr):
                            return file, statement.value, (k, *path)
    return None


def _binding(project: Project, file: SourceFile, node: ast.Name, path: tuple[int, ...]) -> Step:
    """The last binding of a name above where it is read, in its function or, failing that, at the top level."""
    scope = query.scope_of(file, node)
    best = max(_bindings(scope, node.id, node), key=lambda one: one[0], default=None)
    if best is None and isinstance(scope, query.Function):
        argument = _argument(project, file, scope, node.id)
        if argument is not None:
            return argument[0], argument[1], path
        best = max(_bindings(file.tree, node.id, None), key=lambda one: one[0], default=None)
    if best is None:
        return None
    return file, best[1], (*best[2], *path)


def _bindings(scope: ast.AST, name: str, before: ast.Name | None) -> Iterator[tuple[int, ast.expr, tuple[int, ...]]]:
    limit = (before.lineno, before.col_offset) if before is not None else (10**9, 0)
    for one in query.in_scope(scope):
        if isinstance(one, ast.Assign):
            if one.lineno <= limit[0] and not _inside(one, before):
                for target in one.targets:
                    yield from ((one.lineno, one.value, where) for where in _within(target, name))
        elif isinstance(one, ast.AnnAssign) and one.value is not None:
            if one.lineno <= limit[0] and not _inside(one, before):
                yield from ((one.lineno, one.value, where) for where in _within(one.target, name))
        elif isinstance(one, ast.For | ast.comprehension):
            line = one.iter.lineno
            if line <= limit[0]:
                yield from ((line, one.iter, where) for where in _within(one.target, name))


def _inside(statement: ast.AST, node: ast.AST | None) -> bool:
    return node is not None and any(one is node for one in ast.walk(statement))


def _within(target: ast.expr, name: str) -> Iterator[tuple[int, ...]]:
    """The paths on which a binding's target holds the name."""
    if isinstance(target, ast.Name):
        if target.id == name:
            yield ()
    elif isinstance(target, ast.Tuple | ast.List):
        for k, element in enumerate(target.elts):
            for rest in _within(element, name):
                yield (k, *rest)


def _argument(project: Project, file: SourceFile, function: query.Function, name: str) -> tuple[SourceFile, ast.expr] | None:
    """What a function's only call in the project passes for a parameter."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    if name not in names:
        return None
    method = names[0] == "self"
    calls = [
        (one, node)
        for one in project.files
        for node in one.nodes
        if isinstance(node, ast.Call) and _called(node) == function.name and (isinstance(node.func, ast.Attribute) == method)
    ]
    if len(calls) != 1:
        return None
    where, call = calls[0]
    value = query.argument(call, names.index(name) - method, name)
    if value is None:
        default = _default(function, name)
        return (file, default) if default is not None else None
    return where, value


def _default(function: query.Function, name: str) -> ast.expr | None:
    plain = [*function.args.posonlyargs, *function.args.args]
    with_default = zip(plain[len(plain) - len(function.args.defaults) :], function.args.defaults, strict=True)
    for argument, value in (*with_default, *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)):
        if argument.arg == name:
            return value
    return None


def _called(call: ast.Call) -> str | None:
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else None
