"""view-mixes-dims: a view or reshape where the dimensions had to be exchanged; or a recurrent layer that takes samples for time steps."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from doctorch.analysis import probes
from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, shape_text
from doctorch.source import edits, query
from doctorch.source.project import Project, project_of

EXPLAINS = (
    "loss-plateau", "labels-misaligned", "softmax-wrong-dim", "lr-too-low", "lr-too-high", "class-imbalance", "input-scale-small",
    "overfitting",
)  # fmt: skip
ATTENTION = ("bmm", "_scaled_dot_product", "baddbmm")
CHANNELS_FIRST = ("convolution", "batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "max_pool", "avg_pool", "adaptive", "upsample")


@dataclass(frozen=True)
class Moved:
    """What a reshape did to a dimension."""

    kind: str
    """``swapped``: the new sizes are the old ones in another order; ``axis``: one dimension stands elsewhere among others that changed."""
    size: int
    """Of the dimension that moved; of swapped ones the largest."""
    samples: bool
    """It is that of the samples."""
    order: tuple[int, ...] | None = None
    """The permutation that was meant, where the sizes leave one only."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        dependence = probes.probe(process, "sample-dependence")
        told = dependence.data if dependence is not None and dependence.data.get("rows") else {}
        for fact in process.facts("reshape"):
            moved = _moved(process, fact) if fact.get("grad") else None
            if moved is not None and not (moved.samples and told and not told["moved"]):
                yield _finding(fact, moved, told)
        yield from _recurrent(run, process, told)


def _moved(process: Process, fact: Fact) -> Moved | None:
    before, after = [int(n) for n in fact["from"]], [int(n) for n in fact["to"]]
    batch = int(fact.get("batch") or 0)
    one, two = [n for n in before if n != 1], [n for n in after if n != 1]
    if batch > 1 and batch in one and batch in two and _strides(one, batch).isdisjoint(_strides(two, batch)):
        swapped = sorted(one) == sorted(two)
        return Moved("swapped" if swapped else "axis", batch, True, _order(before, after) if swapped else None)
    chained = _chained(one, two)
    if _swapped(one, two) and (not chained or _consumer(fact, CHANNELS_FIRST) or _consumer(fact, ATTENTION)):
        return Moved("swapped", max(one), False, _order(before, after) if sorted(one) == sorted(two) else None)
    classes = {int(call["n_classes"]) for call in process.facts("loss_call") if call.get("n_classes")}
    for size in sorted(set(one) & set(two), reverse=True):
        if size < 3 or one.count(size) > 1 or two.count(size) > 1 or _strides(one, size) == _strides(two, size):
            continue
        to_classes = size in classes and two[-1] == size != one[-1]
        attention = _heads(one, two, size) and (_consumer(fact, ATTENTION) or _producer(fact, ATTENTION))
        if not chained or to_classes or attention:
            return Moved("axis", size, False)
    return None


def _strides(sizes: Sequence[int], size: int) -> set[int]:
    """Number of elements between neighbours in the dimensions of that size."""
    return {math.prod(sizes[at + 1 :]) for at, one in enumerate(sizes) if one == size}


def _chained(one: Sequence[int], two: Sequence[int]) -> bool:
    """Whether both shapes can be had from one finer shape by merging alone: then it may have been meant (frames stacked two by two)."""
    borders = {math.prod(sizes[at:]) for sizes in (one, two) for at in range(len(sizes))} - {1}
    return all(larger % smaller == 0 for smaller, larger in itertools.pairwise(sorted(borders)))


def _swapped(one: Sequence[int], two: Sequence[int]) -> bool:
    """Whether the new sizes are the old ones in another order, also after neighbours are merged on one side; what stays at either end
    is left out."""
    one, two = list(one), list(two)
    while one and two and one[0] == two[0]:
        one, two = one[1:], two[1:]
    while one and two and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    return any(
        sorted(merged) == sorted(other) and list(merged) != list(other)
        for merged, other in (
            *((merged, two) for merged in _merged(one)),
            *((merged, one) for merged in _merged(two)),
        )
        if len(set(other)) > 1
    )


def _merged(sizes: Sequence[int]) -> Iterator[list[int]]:
    """The sizes, and those with one run of neighbours taken together."""
    yield list(sizes)
    for start, end in itertools.combinations(range(len(sizes) + 1), 2):
        if end - start > 1:
            yield [*sizes[:start], math.prod(sizes[start:end]), *sizes[end:]]


def _heads(one: Sequence[int], two: Sequence[int], size: int) -> bool:
    """``(…, time, heads · width)`` against ``(…, heads, time, width)``, either way round."""
    few, many = (one, two) if len(one) < len(two) else (two, one)
    return len(many) >= 3 and len(few) >= 2 and few[-2] == many[-2] == size and many[-3] * many[-1] == few[-1]


def _order(before: Sequence[int], after: Sequence[int]) -> tuple[int, ...] | None:
    """The arguments of ``permute``, where the sizes leave no choice."""
    if sorted(before) != sorted(after) or len(set(before)) != len(before):
        return None
    return tuple(list(before).index(size) for size in after)


def _consumer(fact: Fact, names: Sequence[str]) -> bool:
    return any(name in str(fact.get("read_by") or "") for name in names)


def _producer(fact: Fact, names: Sequence[str]) -> bool:
    return any(name in str(fact.get("made_by") or "") for name in names)


def _finding(fact: Fact, moved: Moved, told: Any) -> Finding:
    seen = moved.samples and bool(told)
    values: dict[str, Value] = {
        "before": shape_text(fact["from"]),
        "after": shape_text(fact["to"]),
        "size": moved.size,
        "batch": int(fact.get("batch") or 0),
        "order": ", ".join(map(str, moved.order)) if moved.order else None,
        "moved": int(told["moved"]) if seen else None,
        "rows": int(told["rows"]) if seen else None,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=("samples" if moved.samples else "swapped" if moved.kind == "swapped" else "axis"),
        values=values,
        place=place_of(fact),
        why="mixed" if moved.samples else "scrambled",
        fix="permute" if moved.order else "transpose",
        proof="moved" if seen else None,
        explains=EXPLAINS,
        confidence=0.95 if moved.samples or moved.order else 0.85,
        ground="graph",
        certain_now=True,
    )


# ---- a recurrent layer that takes samples for time steps


def _recurrent(run: Run, process: Process, told: Any) -> Iterator[Finding]:
    sizes = {int(loader.get("batch_size") or 0) for loader in process.facts("loader") if loader.get("collate") == DEFAULT_COLLATE}
    if not told or not told["moved"] or sizes.isdisjoint((int(told["batch"]),)):
        return
    for fact in process.facts("recurrent"):
        if fact.get("batch_as_time") and int(fact["batch_as_time"]) == int(fact["calls"]) and int(fact["batch"]) == int(told["batch"]):
            call = place_of(fact)
            built = _built(project_of(run), call, str(fact.get("name") or "").rpartition(".")[2])
            values: dict[str, Value] = {
                "cls": str(fact["cls"]),
                "name": str(fact.get("name") or ""),
                "shape": shape_text(fact["shape"]),
                "batch": int(fact["batch"]),
                "moved": int(told["moved"]),
                "rows": int(told["rows"]),
            }
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="time",
                values=values,
                place=built or call,
                related=related(call),
                why="time-first",
                fix="batch-first",
                proof="moved",
                explains=EXPLAINS,
                confidence=0.95,
            )
            return


def _built(project: Project, call: Place | None, name: str) -> Place | None:
    """The line ``self.name = …`` in the class around a call."""
    file = project.file(call.file) if call is not None else None
    if file is None or call is None or not name:
        return None
    around = next((node for node in query.enclosing(file, call.line) if isinstance(node, ast.ClassDef)), None)
    found = query.attribute_assignments(around, name) if around is not None else []
    return Place(file.path, found[0].lineno) if found else None


DEFAULT_COLLATE = "torch.utils.data._utils.collate.default_collate"


def edit(finding: Finding, project: Project) -> Edit | None:
    """``x.view(…)`` becomes ``x.permute(…)``, where the sizes leave one order only."""
    order = finding.values.get("order")
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or not order:
        return None
    return _permuted(file, finding.place, str(order))


def _permuted(file: Any, place: Place, order: str) -> Edit | None:
    calls = [
        call
        for call in query.calls_at(file, place.line)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("view", "reshape") and not call.keywords
    ]
    if len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return None
    change = edits.replace_node(file, calls[0], f"{{value}}.permute({order}).contiguous()", value=calls[0].func.value)
    return edits.make(file, [change], safe=False)


RULE = Rule(
    id="view-mixes-dims",
    title="A reshape where the dimensions had to be exchanged",
    severity=Severity.ERROR,
    needs=frozenset({"module"}),
    examine=examine,
    edit=edit,
)
