"""Where a number was set that a package handed on to torch: the user's own line, not the one that started the package."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

from doctorch.analysis.packages import package_at
from doctorch.findings import Place
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.shared import place_of
from doctorch.source.project import Project, project_of

RATE = ("learning_rate", "lr", "max_lr", "base_lr")
CLIP = ("max_grad_norm", "gradient_clip_val", "max_norm", "clip_value", "gradient_clipping")
DECAY = ("weight_decay",)
TABLE = ("vocab_size", "num_embeddings", "type_vocab_size")
CLASSES = ("num_labels", "num_classes", "n_classes", "classes")
POSITIONS = ("max_position_embeddings", "n_positions", "max_length", "block_size")


def own_line(project: Project, process: Process, place: Place | None, names: Sequence[str], values: Sequence[float]) -> Place | None:
    """The line that hands one of the settings ``names`` to a package, where ``place`` is a line that only started that package.

    ``values``: what torch was given in the end; a line that says such a number goes before others. ``place`` itself where the
    text does not tell.
    """
    if package_at(process, place) is None:
        return place
    found = list(_settings(project, names))
    said = [where for where, value in found if (number := _number(value)) is not None and any(_same(one, number) for one in values)]
    open_ones = [where for where, value in found if _number(value) is None]
    for some in (said, open_ones):
        if len(some) == 1:
            return some[0]
    return place


def rate_line(run: Run, optimizer: Fact) -> Place | None:
    """The line that sets an optimizer's learning rate: the one that builds it, or a setting for the package that does."""
    rates = [float(rate) for rate in optimizer.get("built_lr") or () if rate]
    return own_line(project_of(run), optimizer.process, place_of(optimizer), RATE, rates)


def _settings(project: Project, names: Sequence[str]) -> Iterator[tuple[Place, ast.expr]]:
    """``name=value`` in calls and ``"name": value`` in dictionaries."""
    for file in project.files:
        for node in file.nodes:
            if isinstance(node, ast.Call):
                yield from ((Place(file.path, k.value.lineno), k.value) for k in node.keywords if k.arg in names)
            elif isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value in names:
                        yield Place(file.path, value.lineno), value


def _number(value: ast.expr) -> float | None:
    if isinstance(value, ast.Constant) and type(value.value) in (int, float):
        return float(value.value)  # type: ignore[arg-type]
    return None


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6)
