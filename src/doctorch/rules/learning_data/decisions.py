"""What a script makes of a classifier's answers, as far as its text tells: decisions, or rates that are used as rates."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

PROBABILITIES = frozenset({"sigmoid", "softmax", "expit"})
"""Functions and methods that give probabilities."""
RANKS = frozenset({"sort", "argsort", "topk", "quantile"})
NUMBERS = frozenset({"mean", "sum", "std", "log", "tolist", "numpy", "cpu", *RANKS})
"""Methods that use a value as a number, or put values into their order."""
METRICS = (
    "roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss", "precision_recall_curve", "roc_curve", "calibration_curve",
    "AUROC", "AveragePrecision", "torch.corrcoef", "numpy.corrcoef",
)  # fmt: skip
"""Measures of rates and of their order."""


def decides(project: Project) -> bool:
    """Whether the text turns answers into decisions: argmax, round, a comparison with a number of one of the usual cuts. The first few by
    rank are no decision on each."""
    for file in project.files:
        for node in file.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("argmax", "round"):
                return True
            if isinstance(node, ast.Call) and query.qualified(file, node.func) in ("torch.argmax", "torch.round"):
                return True
            if isinstance(node, ast.Compare) and _is_cut(node):
                return True
    return False


def uses_rates(project: Project, answers: set[tuple[str, int]]) -> bool:
    """Whether probabilities go into more than decisions: a mean, a product, an order, a measure of rates. ``answers``: lines on which a
    model gives probabilities."""
    for file in project.files:
        for node in file.nodes:
            if isinstance(node, ast.Call) and (query.qualified(file, node.func) or "").endswith(METRICS):
                return True
        names = {name for node in file.nodes for name in _named(file, node, answers)}
        if any(_used(file, node, names) for node in file.nodes):
            return True
    return False


def _named(file: SourceFile, node: ast.AST, answers: set[tuple[str, int]]) -> Iterator[str]:
    """Names that probabilities are bound to."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        holds = (file.path, node.lineno) in answers and not any(isinstance(one, ast.Compare) for one in ast.walk(node.value))
        if holds or _outermost(node.value):
            yield node.targets[0].id


def _outermost(value: ast.expr) -> bool:
    """Whether an expression is the call that gives probabilities, or takes some of what it gives."""
    while True:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr in PROBABILITIES:
                return True
            value = value.func.value
        else:
            return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in PROBABILITIES


def _used(file: SourceFile, node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.BinOp):
        return any(_is_rate(side, names) for side in (node.left, node.right))
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in NUMBERS and _is_rate(node.func.value, names):
        return True
    own = isinstance(node.func, ast.Name) and any(isinstance(one, query.Function) and one.name == node.func.id for one in file.tree.body)
    return own and any(_is_rate(one, names) for one in node.args)


def _is_rate(node: ast.expr, names: set[str]) -> bool:
    return (isinstance(node, ast.Name) and node.id in names) or (isinstance(node, ast.Call) and _outermost(node))


def _is_cut(node: ast.Compare) -> bool:
    cut = node.comparators[0]
    greater = isinstance(node.ops[0], ast.Gt | ast.GtE) and not isinstance(node.left, ast.Name | ast.Constant)
    return greater and isinstance(cut, ast.Constant) and cut.value in (0.5, 0)
