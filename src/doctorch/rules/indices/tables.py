"""What the rules on indices share: the fact, or the error text where no observer saw the values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from doctorch.analysis.packages import package_at
from doctorch.findings import Place, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules import settings
from doctorch.rules.shared import place_of, site_place
from doctorch.source import flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

EMBEDDINGS = frozenset({"embedding", "embedding_bag"})
OTHERS = frozenset(
    {"gather", "scatter", "scatter_add", "scatter_reduce", "index_select", "index_add", "index", "index_put", "one_hot", "take", "bincount"}
)
LOSSES = frozenset({"cross_entropy", "nll_loss", "ctc_loss"})
_TARGET_ERROR = re.compile(r"Target (-?\d+) is out of bounds")
_EMBEDDING_ERROR = re.compile(r"index out of range in self")
_DIMENSION_ERROR = re.compile(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)")
_SHOWN_ROWS = 3


@dataclass(frozen=True)
class BadIndex:
    """An index outside its table."""

    function: str
    place: Place | None
    built: Place | None
    size: int | None
    low: int | None
    high: int | None
    values: tuple[int, ...]
    """Distinct bad values, sorted, at most eight; empty where they were not read."""
    labels: tuple[int, ...]
    """Distinct values of that batch, good and bad, the smallest twelve."""
    fact: Fact | None
    dimension: int | None = None

    @property
    def above(self) -> bool:
        """Whether some index is at or beyond the table's end."""
        return self.size is not None and self.high is not None and self.high >= self.size

    @property
    def below(self) -> bool:
        """Whether some bad index is negative."""
        return any(value < 0 for value in self.values) or (not self.values and self.low is not None and self.low < 0 and not self.above)


def bad_indices(run: Run, functions: frozenset[str]) -> Iterator[BadIndex]:
    """The bad indices that the main process met in some functions; of an exception that names one, where no fact does."""
    facts = [fact for fact in run.main_facts("index_error") if fact.get("function") in functions]
    for fact in facts:
        yield BadIndex(
            function=str(fact["function"]),
            place=place_of(fact),
            built=site_place(fact.get("built_site")),
            size=fact.get("size"),
            low=fact.get("min"),
            high=fact.get("max"),
            values=tuple(int(value) for value in fact.get("values") or ()),
            labels=tuple(int(value) for value in fact.get("labels") or ()),
            fact=fact,
            dimension=fact.get("dim"),
        )
    if not run.main_facts("index_error"):  # else the same error would be told twice
        yield from _from_exception(run, functions)


def _from_exception(run: Run, functions: frozenset[str]) -> Iterator[BadIndex]:
    for error in run.main_facts("exception"):
        message = str(error.get("message") or "")
        if "cross_entropy" in functions and (match := _TARGET_ERROR.search(message)):
            value = int(match.group(1))
            yield BadIndex("cross_entropy", place_of(error), None, None, value, value, (value,), (), None)
        elif "index" in functions and (match := _DIMENSION_ERROR.search(message)):
            value, dimension, size = map(int, match.groups())
            yield BadIndex("indexing", place_of(error), None, size, value, value, (value,), (), None, dimension)
        elif "embedding" in functions and _EMBEDDING_ERROR.search(message):
            yield BadIndex("embedding", place_of(error), None, None, None, None, (), (), None)


def own_line(run: Run, project: Project, bad: BadIndex, names: Sequence[str]) -> Place | None:
    """The line to name: of the look-up, or where that is inside a package, of the setting that gives the table's size, else of the
    call that built the table."""
    process = run.main
    if process is None or package_at(process, bad.place) is None:
        return bad.place
    found = settings.own_line(project, process, bad.place, names, [bad.size] if bad.size is not None else [])
    return found if found != bad.place else bad.built or bad.place


def shown(bad: BadIndex) -> dict[str, Value]:
    """The values that the sentences on a bad index use; «unknown» where the values were not read."""
    fact = bad.fact
    rows = [int(row) for row in (fact.get("rows") or ())] if fact is not None else []
    return {
        "size": bad.size,
        "low": bad.low,
        "high": bad.high,
        "needed": bad.high + 1 if bad.high is not None else None,
        "last": bad.size - 1 if bad.size is not None else None,
        "bad": fact.get("bad") if fact is not None else None,
        "total": fact.get("total") if fact is not None else None,
        "samples": fact.get("n_rows") if fact is not None else None,
        "batch": fact.get("batch") if fact is not None else None,
        "first_rows": _positions(rows, int(fact.get("n_rows") or len(rows)) if fact is not None else 0)
        + _items([int(item) for item in (fact.get("items") or ())] if fact is not None else []),
        "values": ", ".join(str(value) for value in bad.values),
        "value": bad.values[0] if bad.values else bad.high,
        "module": fact.get("module") if fact is not None and fact.get("module") else "the embedding",
        "function": bad.function,
    }


def _positions(rows: Sequence[int], total: int) -> str:
    """``sample 4``, ``samples 1 and 3``, ``samples 1, 3, 5, …``: positions in the batch, counted from 0."""
    shown = [str(row) for row in rows[:_SHOWN_ROWS]]
    if not shown:
        return "not known which"
    if max(total, len(rows)) > len(shown):
        return f"samples {', '.join(shown)}, …"
    listed = " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    return f"{'sample' if len(shown) == 1 else 'samples'} {listed}"


def _items(items: Sequence[int]) -> str:
    """``: item 731 of the data set``, where the sampler tells."""
    shown = [str(item) for item in items[:_SHOWN_ROWS]]
    if not shown:
        return ""
    listed = ", ".join(shown) + (", …" if len(items) > len(shown) else "")
    return f": {'item' if len(items) == 1 else 'items'} {listed} of the data set"


def counted(bad: BadIndex) -> bool:
    """Whether the values of the index tensor were read, so that a sentence can count them."""
    return bad.fact is not None and bad.fact.get("bad") is not None


def is_position(project: Project, bad: BadIndex) -> bool:
    """Whether the indices are positions: they count up from 0, or the text at the embedding's call makes them by ``torch.arange``."""
    if bad.fact is not None and bad.fact.get("counts_up"):
        return True
    file = project.file(bad.place.file) if bad.place else None
    if file is None or bad.place is None:
        return False
    inside = [call.args[0] for call in query.calls_at(file, bad.place.line) if call.args]
    inside += [node.slice for node in file.nodes if isinstance(node, ast.Subscript) and node.lineno == bad.place.line]
    return any(_counts_up(project, file, index) for index in inside)


def _counts_up(project: Project, file: SourceFile, index: ast.expr) -> bool:
    return any(
        made is not None
        and any(isinstance(node, ast.Call) and query.qualified(made.file, node.func) == "torch.arange" for node in ast.walk(made.node))
        for made in flow.made_by(project, file, index)
    )


def embedding_call(project: Project, bad: BadIndex) -> tuple[str, ast.Call] | None:
    """The file and the construction ``nn.Embedding(…)`` of the table, where the text tells it."""
    for place in (bad.built, bad.place):
        file = project.file(place.file) if place else None
        if file is None or place is None:
            continue
        for call in query.calls_at(file, place.line):
            if (query.qualified(file, call.func) or "").endswith(("nn.Embedding", "nn.EmbeddingBag")):
                return file.path, call
            module = flow.module_of(project, file, call.func)
            if module is not None and isinstance(module.node, ast.Call):
                name = query.qualified(module.file, module.node.func) or ""
                if name.endswith(("nn.Embedding", "nn.EmbeddingBag")):
                    return module.file.path, module.node
    return None
