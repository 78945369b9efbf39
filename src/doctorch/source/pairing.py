"""Whether the two sides of a pair (inputs and their labels) are kept in the same order, as far as the text tells.

A side's own permutations are those applied on its way from where it is made to where the pair is used. One that the other
side has nothing to do with tears the pair apart."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.source import origin, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

PERMUTATIONS = frozenset(
    {
        "torch.randperm", "numpy.random.permutation", "numpy.random.choice", "random.sample", "torch.randint", "numpy.random.randint",
        "random.choices", "torch.multinomial", "sklearn.utils.shuffle",
    }
)  # fmt: skip
"""Calls that give a random order or random indices."""
SORTS = frozenset(
    {"sorted", "torch.argsort", "numpy.argsort", "torch.sort", "numpy.sort", "torch.flip", "numpy.flip", "torch.roll", "numpy.roll"}
)
METHODS = frozenset({"permutation", "argsort", "sort", "flip", "roll"})
"""Methods (of a generator, of a tensor) that give another order; a permutation of dimensions is called permute."""
SEEDS = frozenset({"seed", "manual_seed", "set_state", "set_rng_state", "setstate", "RandomState", "default_rng", "seed_everything"})
ALIKE = frozenset({"ones", "zeros", "full", "empty", "eye", "device"})
"""Functions that make a tensor of equal values, or of none, or no tensor at all."""
DRAWN = frozenset({"rand", "randn", "randint", "normal", "bernoulli"})
MAX_DEPTH = 16


@dataclass(frozen=True)
class Reorder:
    """A change of order on the way of one side."""

    file: SourceFile
    source: ast.AST
    """The expression that makes the order: its identity."""
    applied: ast.AST
    """The expression or statement that applies it."""
    random: bool

    @property
    def line(self) -> int:
        statement = query.statement_of(self.file, self.applied)
        return statement.lineno if statement is not None else getattr(self.applied, "lineno", 1)


@dataclass(frozen=True)
class Torn:
    """A pair that is torn apart."""

    reorder: Reorder
    by_input: bool
    """True: the inputs are reordered and the labels are not; False: the other way round."""
    both: bool
    """Both are, each in an order of its own."""
    sure: bool
    """The text tells of everything on both sides."""


def torn(
    project: Project, file: SourceFile, x: ast.expr, y: ast.expr, x_path: tuple[int, ...] = (), y_path: tuple[int, ...] = ()
) -> Torn | None:
    """Whether two expressions that are used as a pair are in different orders; the reordering to blame."""
    left, end_left = _orders(project, file, x, x_path)
    right, end_right = _orders(project, file, y, y_path)
    if not (left or _holds_samples(*end_left)) or not (right or _holds_samples(*end_right)):
        return None
    own_left, own_right = {id(one.source) for one in left}, {id(one.source) for one in right}
    if own_left == own_right:
        return None
    seen_left, sure_left = _closure(project, file, x, x_path)
    seen_right, sure_right = _closure(project, file, y, y_path)
    loose_left = [one for one in left if id(one.source) not in own_right and id(one.source) not in seen_right]
    loose_right = [one for one in right if id(one.source) not in own_left and id(one.source) not in seen_left]
    loose = loose_left or loose_right
    if not loose:
        return None
    both = bool(loose_left and loose_right)
    if both and _seeded(project, [*loose_left, *loose_right]):
        return None
    return Torn(loose[0], bool(loose_left), both, sure_left and sure_right and all(one.random for one in loose))


def _orders(project: Project, file: SourceFile, expr: ast.expr, path: tuple[int, ...]) -> tuple[list[Reorder], tuple[SourceFile, ast.expr]]:
    """The changes of order on the way back from an expression, and where the way ends."""
    found: list[Reorder] = []
    step: tuple[SourceFile, ast.expr, tuple[int, ...]] | None = (file, expr, path)
    seen: set[tuple[int, tuple[int, ...]]] = set()
    where, node = file, expr
    while step is not None and len(seen) < 4 * MAX_DEPTH and (id(step[1]), step[2]) not in seen:
        seen.add((id(step[1]), step[2]))
        where, node, _ = step
        found += _at(project, where, node)
        following = _past_order(where, node, step[2]) or origin.back(project, *step)
        if isinstance(node, ast.Name) and following is not None:
            found += _in_place(where, node, following[1])
        step = following
    return found, (where, node)


def _holds_samples(file: SourceFile, node: ast.expr) -> bool:
    """Whether what a way ends at may hold one value for each sample: not a number, not the same everywhere (the ones that a judge is to
    answer), not drawn anew for each batch (the noise that a diffusion model is to find)."""
    if isinstance(node, ast.Constant):
        return False
    if not isinstance(node, ast.Call):
        return True
    name = (query.qualified(file, node.func) or "").rpartition(".")[2] or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
    if name.removesuffix("_like").removeprefix("new_") in ALIKE:
        return False
    return not (name.removesuffix("_like") in DRAWN and query.loops_around(file, node.lineno))


def _past_order(file: SourceFile, node: ast.expr, path: tuple[int, ...]) -> tuple[SourceFile, ast.expr, tuple[int, ...]] | None:
    """The way back through a call that only changes the order."""
    if not isinstance(node, ast.Call):
        return None
    name = query.qualified(file, node.func) or ""
    if (name in SORTS or name.endswith((".shuffle", "random.permutation"))) and node.args:
        if name == "sklearn.utils.shuffle" and len(node.args) > 1:
            return (file, node.args[path[0]], path[1:]) if path and path[0] < len(node.args) else None
        return file, node.args[0], path
    if isinstance(node.func, ast.Attribute) and node.func.attr in (*METHODS, "sample", "reset_index", "sort_values", "values", "to_numpy"):
        return file, node.func.value, path
    return None


def _at(project: Project, file: SourceFile, node: ast.expr) -> Iterator[Reorder]:
    """The change of order that one stop is."""
    if isinstance(node, ast.Subscript):
        index = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        if isinstance(index, ast.Slice):
            if isinstance(index.step, ast.UnaryOp):
                yield Reorder(file, index, node, random=False)
            return
        made = _order(project, file, index)
        if made is not None:
            yield Reorder(file, made[0], node, made[1])
    elif isinstance(node, ast.Call):
        name = query.qualified(file, node.func) or ""
        if name.endswith("DataLoader"):
            if any(k.arg == "sampler" or (k.arg == "shuffle" and not _is_false(k.value)) for k in node.keywords):
                yield Reorder(file, node, node, random=True)
        elif name in SORTS:
            yield Reorder(file, node, node, random=False)
        elif name == "sklearn.utils.shuffle" or (name.endswith("random.permutation") and node.args and not _is_count(node.args[0])):
            yield Reorder(file, node, node, random=True)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ("sort", "flip", "roll"):
            yield Reorder(file, node, node, random=False)
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "sample" and any(k.arg == "frac" for k in node.keywords):
            yield Reorder(file, node, node, random=True)


def _order(project: Project, file: SourceFile, index: ast.expr) -> tuple[ast.AST, bool] | None:
    """What makes an index a random or sorted order: the call, and whether it is random."""
    step: tuple[SourceFile, ast.expr, tuple[int, ...]] | None = (file, index, ())
    for _ in range(MAX_DEPTH):
        if step is None:
            return None
        where, node, path = step
        if isinstance(node, ast.Call):
            name = query.qualified(where, node.func) or ""
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in PERMUTATIONS or method in ("permutation", "choice", "integers"):
                return node, True
            if name in SORTS or method == "argsort":
                return node, False
            if method in ("split", "chunk", "tolist", "view", "reshape"):
                assert isinstance(node.func, ast.Attribute)
                step = where, node.func.value, ()
                continue
        elif isinstance(node, ast.Name):
            shuffled = _shuffle_of(where, node.id, query.scope_of(where, node), node.lineno)
            if shuffled is not None:
                return shuffled, True
        step = origin.back(project, where, node, path)
    return None


def _in_place(file: SourceFile, name: ast.Name, bound: ast.expr) -> Iterator[Reorder]:
    """Shuffles and sorts of the named object between where it is bound and where it is read."""
    call = _shuffle_of(file, name.id, query.scope_of(file, name), name.lineno, bound.lineno)
    if call is not None:
        yield Reorder(file, call, call, random=call.func.attr == "shuffle" if isinstance(call.func, ast.Attribute) else True)


def _shuffle_of(file: SourceFile, name: str, scope: ast.AST, before: int, after: int = 0) -> ast.Call | None:
    for node in query.in_scope(scope):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call) or not after <= node.lineno <= before:
            continue
        call = node.value
        if not isinstance(call.func, ast.Attribute):
            continue
        first = call.args[0] if call.args else None
        if call.func.attr == "shuffle" and isinstance(first, ast.Name) and first.id == name:
            return call
        if call.func.attr in ("sort", "reverse") and isinstance(call.func.value, ast.Name) and call.func.value.id == name:
            return call
    return None


def _closure(project: Project, file: SourceFile, expr: ast.expr, path: tuple[int, ...]) -> tuple[set[int], bool]:
    """Ids of all expressions that a value depends on, and whether every name among them is known."""
    found: set[int] = set()
    sure = True
    waiting: list[tuple[SourceFile, ast.expr, tuple[int, ...]]] = [(file, expr, path)]
    seen: set[tuple[int, tuple[int, ...]]] = set()
    while waiting and len(seen) < 400:
        step = waiting.pop()
        where, node, at = step
        if (id(node), at) in seen:
            continue
        seen.add((id(node), at))
        following = _past_order(where, node, at) or origin.back(project, *step)
        rest: ast.AST | None = node
        if following is not None:  # of a tuple, a loader, a function's result only the element that is meant
            waiting.append(following)
            found.add(id(node))
            if isinstance(node, ast.Name):
                found.update(id(one.source) for one in _in_place(where, node, following[1]))
            rest = node.slice if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice) else None
        if rest is None:
            continue
        inner = list(_without_sizes(rest))
        found.update(id(one) for one in inner)
        for name in inner:
            if not isinstance(name, ast.Name) or not isinstance(name.ctx, ast.Load):
                continue
            if name.id in where.aliases or hasattr(builtins, name.id) or name.id == "self" or name is node:
                sure = sure and name is not node
                continue
            bound = origin.back(project, where, name, ())
            if bound is None:
                sure = sure and _is_function(where, name)
            else:
                waiting.append(bound)
                found.update(id(one.source) for one in _in_place(where, name, bound[1]))
    return found, sure


def _without_sizes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those inside it, but for what only gives a number of samples: ``len(x)``, ``x.shape``, ``x.size()``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim", "device", "dtype"):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _without_sizes(child)


def _is_function(file: SourceFile, name: ast.Name) -> bool:
    return any(isinstance(one, query.Function | ast.ClassDef) and one.name == name.id for one in file.tree.body)


def _seeded(project: Project, orders: list[Reorder]) -> bool:
    """Whether the same order may be drawn twice on purpose: a seed is set, or a generator handed over."""
    for order in orders:
        if isinstance(order.source, ast.Call) and any(k.arg in ("generator", "random_state", "seed") for k in order.source.keywords):
            return True
    first, last = min(order.line for order in orders), max(order.line for order in orders)
    for node in orders[0].file.nodes:
        if isinstance(node, ast.Call) and first <= node.lineno <= last and query.statement_of(orders[0].file, node) is not None:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
            if name in SEEDS:
                return True
    return False


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _is_count(node: ast.expr) -> bool:
    """Whether an argument is a number of items rather than the items."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len")
