"""Questions about a parsed file: what encloses a line, what a name stands for, where an attribute is set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.source.files import SourceFile

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While | ast.AsyncFor
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Leaving = ast.Return | ast.Raise | ast.Break | ast.Continue
"""Statements after which nothing of the same block runs."""
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

NO_GRAD = frozenset({"torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.autograd.grad_mode.no_grad"})


def spans(node: ast.AST, line: int) -> bool:
    """Whether a node's lines include ``line``. A decorated function begins at its first decorator."""
    first = getattr(node, "lineno", None)
    last = getattr(node, "end_lineno", None)
    if first is None or last is None:
        return False
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        first = min(first, decorators[0].lineno)
    return bool(first <= line <= last)


def statement_at(file: SourceFile, line: int) -> ast.stmt | None:
    """The innermost statement on a line; of several, the last that begins there."""
    best: ast.stmt | None = None
    for node in file.nodes:
        if isinstance(node, ast.stmt) and spans(node, line) and (best is None or node.lineno >= best.lineno):
            best = node
    return best


def statement_of(file: SourceFile, node: ast.AST) -> ast.stmt | None:
    """The innermost statement that a node belongs to: of ``a(); b()`` the right one."""
    return next((one for one in (node, *file.ancestors(node)) if isinstance(one, ast.stmt)), None)


def block_of(file: SourceFile, statement: ast.stmt) -> list[ast.stmt]:
    """The list of statements in which one stands."""
    parent = file.parents[statement]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, [])
        if isinstance(block, list) and statement in block:
            return list(block)
    return [statement]


def enclosing(file: SourceFile, line: int) -> list[ast.stmt]:
    """The statements around a line, innermost first; the statement at the line itself comes first."""
    statement = statement_at(file, line)
    if statement is None:
        return []
    return [statement, *(node for node in file.ancestors(statement) if isinstance(node, ast.stmt))]


def function_at(file: SourceFile, line: int) -> Function | None:
    """The innermost function around a line."""
    return next((node for node in enclosing(file, line) if isinstance(node, Function)), None)


def scope_of(file: SourceFile, node: ast.AST) -> Function | ast.Module:
    """The function around a node, or the module."""
    for around in file.ancestors(node):
        if isinstance(around, Function):
            return around
    return file.tree


def in_scope(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module, without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def loops_around(file: SourceFile, line: int) -> list[Loop]:
    """The loops of the same function around a line, innermost first (the line of a loop's own header is not inside it)."""
    found: list[Loop] = []
    for node in enclosing(file, line):
        if isinstance(node, Function | ast.ClassDef):
            break
        if isinstance(node, Loop) and any(spans(child, line) for child in node.body):
            found.append(node)
    return found


def calls_at(file: SourceFile, line: int) -> list[ast.Call]:
    """The calls that a line belongs to, outermost first: those that begin on it, else those that span it."""
    calls = [node for node in file.nodes if isinstance(node, ast.Call)]
    begin = [call for call in calls if call.lineno == line]
    return begin or [call for call in calls if spans(call, line)]


def dotted(node: ast.AST) -> str | None:
    """``a.b.c`` for names and attributes, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def qualified(file: SourceFile, node: ast.AST) -> str | None:
    """The full dotted name of an expression after the file's imports: ``F.softmax`` gives ``torch.nn.functional.softmax``."""
    name = dotted(node)
    if name is None:
        return None
    head, _, rest = name.partition(".")
    target = file.aliases.get(head)
    if target is None:
        return name
    return f"{target}.{rest}" if rest else target


def classes(file: SourceFile) -> dict[str, ast.ClassDef]:
    """The classes of a file by name (of equal names the last)."""
    return {node.name: node for node in file.nodes if isinstance(node, ast.ClassDef)}


def methods(cls: ast.ClassDef) -> dict[str, Function]:
    """The methods of a class by name."""
    return {node.name: node for node in cls.body if isinstance(node, Function)}


def attribute_assignments(cls: ast.ClassDef, attribute: str) -> list[ast.Assign | ast.AnnAssign]:
    """The statements ``self.attribute = …`` in a class, in order of lines."""
    found: list[ast.Assign | ast.AnnAssign] = []
    for node in ast.walk(cls):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(is_self_attribute(target, attribute) for target in targets):
                found.append(node)
    return sorted(found, key=lambda node: node.lineno)


def is_self_attribute(node: ast.AST, attribute: str | None = None) -> bool:
    """Whether a node is ``self.attribute`` (of any name when None)."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and (attribute is None or node.attr == attribute)
    )


def assigned_values(scope: ast.AST, name: str) -> list[ast.expr]:
    """The values that a plain name is assigned in a scope; a name bound in any other way (a loop, a with, an argument, ``+=``) adds
    the constant ``...``, which stands for «unknown»."""
    unknown = ast.Constant(value=...)
    values: list[ast.expr] = []
    if isinstance(scope, Function | ast.Lambda):
        arguments = scope.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        if any(argument is not None and argument.arg == name for argument in every):
            values.append(unknown)
    for node in in_scope(scope):
        if isinstance(node, ast.Assign):
            values.extend(value for target in node.targets for value in _bound(target, node.value, name))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if node.value is not None and isinstance(node.target, ast.Name) and node.target.id == name:
                values.append(node.value)
        elif name in _other_targets(node):
            values.append(unknown)
    return values


def _other_targets(node: ast.AST) -> set[str]:
    """Names that a node binds otherwise than by plain assignment."""
    if isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.comprehension):
        return _names_in(node.target)
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return _names_in(node.optional_vars)
    return set()


def _bound(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name):
        if target.id == name:
            yield value
    elif isinstance(target, ast.Tuple | ast.List) and name in _names_in(target):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for inner, inner_value in zip(target.elts, value.elts, strict=True):
                yield from _bound(inner, inner_value, name)
        else:
            yield ast.Constant(value=...)


def _names_in(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def is_unknown(value: ast.expr) -> bool:
    """Whether :func:`assigned_values` could not tell."""
    return isinstance(value, ast.Constant) and value.value is ...


def argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """An argument of a call by position or keyword, or None; None too when ``*args`` comes before it."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position < len(call.args) and not any(isinstance(arg, ast.Starred) for arg in call.args[: position + 1]):
        return call.args[position]
    return None


def gradless(file: SourceFile, node: ast.expr) -> bool:
    """Whether an expression is ``torch.no_grad()``, ``torch.inference_mode()``, their names without a call, or
    ``torch.set_grad_enabled(False)``."""
    if not isinstance(node, ast.Call):
        return qualified(file, node) in NO_GRAD
    name = qualified(file, node.func)
    first = node.args[0] if node.args else None
    if name in NO_GRAD:  # inference_mode(False) is the only one that turns nothing off
        return not (name == "torch.inference_mode" and isinstance(first, ast.Constant) and first.value is False)
    return name == "torch.set_grad_enabled" and isinstance(first, ast.Constant) and first.value is False


def gradless_line(file: SourceFile, line: int) -> int | None:
    """The line of the innermost ``with torch.no_grad():`` or decorator around a line."""
    found = gradless_node(file, line)
    return found[1].lineno if found else None


def gradless_node(file: SourceFile, line: int) -> tuple[ast.stmt, ast.expr] | None:
    """The innermost with statement or function that turns gradients off around a line, and the expression that does it."""
    for node in enclosing(file, line):
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if gradless(file, item.context_expr):
                    return node, item.context_expr
        elif isinstance(node, Function):
            for decorator in node.decorator_list:
                if gradless(file, decorator):
                    return node, decorator
    return None
