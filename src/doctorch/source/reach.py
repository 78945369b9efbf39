"""All names and attributes from which an expression may take its values, in any order of statements: what is not reached cannot matter."""

from __future__ import annotations

import ast
from collections import defaultdict

from doctorch.source import query
from doctorch.source.files import SourceFile

MAX_NODES = 20_000
Key = tuple[int, str]
"""A scope, by identity, and a name in it; attributes of any object have the scope 0."""


def reached(file: SourceFile, expr: ast.AST) -> set[str]:
    """Variables that an expression may depend on, as ``function.name`` or ``<module>.name``: over assignments, loops, attributes by name,
    what functions return, and calls. A function that is called on the way depends on the arguments of that call only; those around the
    expression on the arguments of all their calls."""
    table = _table(file)
    around = _around(file, expr)
    seen: set[Key] = set()
    found: set[str] = set()
    waiting: list[ast.AST] = [expr]
    nodes = 0
    while waiting and nodes < MAX_NODES:
        root = waiting.pop()
        for node in ast.walk(root):
            nodes += 1
            key = table.key(node)
            if key is None or key in seen:
                continue
            seen.add(key)
            if key[0]:
                found.add(f"{table.names[key[0]]}.{key[1]}")
            waiting.extend(table.sources[key])
            if key[0] in around:
                for given in table.given[key]:
                    around |= _around(file, given)
                    waiting.append(given)
    return found


def _around(file: SourceFile, node: ast.AST) -> set[int]:
    """The function around a node, and of a method those that fill its object."""
    scope = query.scope_of(file, node)
    owner = file.parents.get(scope)
    methods = query.methods(owner) if isinstance(owner, ast.ClassDef) else {}
    return {id(scope), *(id(methods[name]) for name in ("__init__", "setup") if name in methods)}


class _Table:
    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.sources: dict[Key, list[ast.AST]] = defaultdict(list)
        self.given: dict[Key, list[ast.AST]] = defaultdict(list)
        """What the calls of a function pass for its parameters."""
        self.locals: dict[int, set[str]] = {}
        self.names: dict[int, str] = {id(file.tree): "<module>"}
        functions: dict[str, list[query.Function]] = defaultdict(list)
        for node in file.nodes:
            if isinstance(node, query.Function):
                functions[node.name].append(node)
                owner = file.parents.get(node)
                if isinstance(owner, ast.ClassDef) and node.name == "__init__":
                    functions[owner.name].append(node)
        for scope in (file.tree, *(f for group in functions.values() for f in group)):
            self.locals[id(scope)] = self._bound(scope)
            if isinstance(scope, query.Function):
                self.names[id(scope)] = scope.name
        for node in file.nodes:
            self._bind(node)
            if isinstance(node, ast.Call):
                self._call(node, functions)
        for cls in query.classes(file).values():
            for function in query.methods(cls).values():
                # an object of the class, indexed or iterated, gives what its methods return
                self.sources[self._module(cls.name)].extend(self._returned(function))
        for name, group in functions.items():
            for function in group:
                for key in (self._module(name), (0, name)):
                    self.sources[key].extend(self._returned(function))

    def key(self, node: ast.AST) -> Key | None:
        """What a node reads, if it reads a name or an attribute."""
        if isinstance(node, ast.Attribute):
            return (0, node.attr)
        if isinstance(node, ast.Name):
            scope = query.scope_of(self.file, node)
            return (id(scope), node.id) if node.id in self.locals.get(id(scope), ()) else self._module(node.id)
        return None

    def _module(self, name: str) -> Key:
        return (id(self.file.tree), name)

    def _bound(self, scope: ast.AST) -> set[str]:
        names = {node.id for node in query.in_scope(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        if isinstance(scope, query.Function):
            names |= {argument.arg for argument in _arguments(scope)}
        return names

    def _bind(self, node: ast.AST) -> None:
        pairs: list[tuple[ast.AST, ast.AST]] = []
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(target.elts) == len(node.value.elts):
                    pairs += zip(target.elts, node.value.elts, strict=True)
                else:
                    pairs.append((target, node.value))
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            pairs.append((node.target, node.value))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            pairs.append((node.target, node.iter))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            pairs.append((node.optional_vars, node.context_expr))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            pairs += [(node.func.value, argument) for argument in node.args if node.func.attr in ("append", "extend", "add", "update")]
        for bound, value in pairs:
            for part in ast.walk(bound):
                key = self.key(part)
                if key is not None:
                    self.sources[key].append(value)

    def _call(self, call: ast.Call, functions: dict[str, list[query.Function]]) -> None:
        name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else None
        for function in functions.get(name or "", ()):
            names = [argument.arg for argument in _arguments(function)]
            if names[:1] in (["self"], ["cls"]):
                names = names[1:]
            for position, value in enumerate(call.args):
                if position < len(names):
                    self.given[id(function), names[position]].append(value)
            for keyword in call.keywords:
                if keyword.arg in names:
                    self.given[id(function), str(keyword.arg)].append(keyword.value)

    def _returned(self, function: query.Function) -> list[ast.AST]:
        return [n.value for n in query.in_scope(function) if isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) and n.value is not None]


def _arguments(function: query.Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _table(file: SourceFile) -> _Table:
    table = _tables.get(id(file))
    if table is None or table.file is not file:
        if len(_tables) > 50:
            _tables.clear()
        table = _tables[id(file)] = _Table(file)
    return table


_tables: dict[int, _Table] = {}
