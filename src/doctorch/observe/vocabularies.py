"""Tables from words to ids, in data sets and in the script's variables: whether those of two splits agree. And what share of the ids
that a model is given is one and the same."""

from __future__ import annotations

import heapq
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch

from doctorch.observe import lines, values
from doctorch.observe.events import Watcher
from doctorch.observe.recorder import now
from doctorch.observe.session import Session

SAMPLE = 512
"""Words of a table that are compared: those with the least hashes, so that two tables are compared on the same words."""
MAX_WORDS = 300_000
MAX_TABLES = 40
MAX_DEPTH = 2
"""Objects inside a data set whose attributes are looked through."""
MAX_ATTRIBUTES = 60
MAX_FRAMES = 6
MAX_PLACES = 6
"""Calls of models at which the variables around are looked through."""
LOOKS = 12
"""Calls of a model in training, and in evaluation, whose ids are counted."""
MAX_IDS = 20_000
ELSEWHERE = 0.05
"""Of the places of padding, so many may hold its value elsewhere."""
LARGEST_FIRST = 16
"""Ids begin at most here: some are kept for padding, unknown words and the like."""
IDS = frozenset((torch.int64, torch.int32, torch.int16))


class Table:
    """A table from words to ids, by a sample of it."""

    __slots__ = ("entry", "of", "name", "words", "identity")

    def __init__(self, entry: Any, of: str, name: str, words: dict[int, int], identity: int) -> None:
        self.entry = entry
        self.of = of
        self.name = name
        self.words = words
        self.identity = identity


class Tokens:
    """Ids given to a model in one phase, without runs at the ends of rows."""

    __slots__ = ("entry", "counts", "looks")

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self.counts: Counter[int] = Counter()
        self.looks = 0


class VocabularyWatcher(Watcher):
    """Looks at the first calls of a model with a batch of a loader, and at the first calls at a place."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def install(self) -> None:
        self.session.events.root_call.append(self._call)

    def reset(self) -> None:
        self.tables: list[Table] = []
        self.loaders: set[str] = set()
        self.places: set[tuple[str, bool]] = set()
        self.tokens: dict[tuple[str, str, str], Tokens] = {}

    def publish(self) -> None:
        for tokens in list(self.tokens.values()):
            if tokens.entry.data.get("looks") != tokens.looks:
                counts = tokens.counts.copy()
                top = [[int(token), n] for token, n in counts.most_common(5)]
                tokens.entry.data.update(looks=tokens.looks, total=sum(counts.values()), distinct=len(counts), top=top)
                self.session.recorder.touch(tokens.entry)

    def _call(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        session = self.session
        root = session.roots.get(id(module))
        if root is None or root.entry is None:
            return
        began = now()
        train = session.grad_at_call
        watch = session.last_loader if session.last_loader_step == session.recorder.steps else None
        if watch is not None and watch.key not in self.loaders:
            self.loaders.add(watch.key)
            self._look_at_dataset(watch.key, watch.dataset() if watch.dataset is not None else None)
        frame = lines.user_frame(sys._getframe(3))
        if frame is not None and len(self.places) < MAX_PLACES:
            place = (lines.site_of(frame).key, train)
            if place not in self.places:
                self.places.add(place)
                self._look_at_variables(frame)
        for name, tensor in (*enumerate(args), *kwargs.items()):
            if isinstance(tensor, torch.Tensor) and tensor.ndim == 2 and tensor.dtype in IDS:
                self._count(root.entry.key, str(name), "train" if train else "eval", tensor)
        session.watch(now() - began)

    # ---- tables

    def _look_at_dataset(self, loader: str, dataset: Any) -> None:
        for name, words in tables_in(dataset):
            self._add(f"{type(innermost(dataset)).__qualname__}", name, words, loader, "dataset", None)

    def _look_at_variables(self, frame: Any) -> None:
        number = 0
        while frame is not None and number < MAX_FRAMES:
            if lines.is_user_code(frame.f_code):
                number += 1
                function = frame.f_code.co_name
                site = lines.site_of(frame)
                for name, value in _variables(frame):
                    if type(value) is dict:
                        if is_table(value):
                            self._add(function, name, value, None, "variables", site)
                    else:
                        for inner, words in _attributes(value, 1):
                            self._add(function, f"{name}.{inner}", words, None, "variables", site)
            frame = frame.f_back

    def _add(self, of: str, name: str, words: dict[Any, int], loader: str | None, where: str, site: Any) -> None:
        if len(self.tables) >= MAX_TABLES:
            return
        key = f"{where}:{of}.{name}:{loader}" + (f"@{site.file}" if site is not None else "")
        if any(table.entry.key == key for table in self.tables):
            return
        sample = {hash(word): words[word] for word in heapq.nsmallest(SAMPLE, words, key=hash)}
        data: dict[str, Any] = {"where": where, "of": of, "name": name, "loader": loader, "against": {}}
        data.update(size=len(words), first=min(words.values()))
        entry = self.session.recorder.fact("vocabulary", key, site, lambda: data)
        for other in self.tables:
            if other.entry.data["where"] == where:
                entry.data["against"][other.entry.key] = {"same": other.identity == id(words), **agreement(other.words, sample)}
        entry.count = 1
        self.session.recorder.touch(entry)
        self.tables.append(Table(entry, of, name, sample, id(words)))

    # ---- ids

    def _count(self, root: str, name: str, phase: str, tensor: torch.Tensor) -> None:
        key = (root, name, phase)
        tokens = self.tokens.get(key)
        if tokens is None:
            data = {"root": root, "name": name, "phase": phase}
            tokens = self.tokens[key] = Tokens(self.session.recorder.fact("tokens", ":".join(key), None, lambda: data))
        if tokens.looks >= LOOKS or not tensor.is_cpu or not values.readable(tensor) or not tensor.numel() > 0:
            return
        tokens.looks += 1
        rows = tensor.detach()[: max(1, MAX_IDS // tensor.shape[1]), :MAX_IDS]
        kept = rows[~filled_ends(rows)]
        found, numbers = torch.unique(kept, return_counts=True)
        tokens.counts.update(dict(zip(found.tolist(), numbers.tolist(), strict=True)))


def _variables(frame: FrameType) -> list[tuple[str, Any]]:
    """The variables of a frame that may be tables or hold some."""
    variables = frame.f_locals
    found = [(name, value) for name, value in list(variables.items()) if not name.startswith("__") and _may_hold(value)]
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(variables) is dict:
        variables.clear()  # up to Python 3.12 the frame keeps this copy, and with it tensors that it would have let go
    return found


def _may_hold(value: Any) -> bool:
    return type(value) is dict or (not isinstance(value, type) and _transparent(value))


def filled_ends(rows: torch.Tensor) -> torch.Tensor:
    """Where padding fills the end or the beginning of a row: a run of one value that hardly stands anywhere else. Rows that are filled
    from end to end have no padding: they hold one word."""
    filled = torch.zeros_like(rows, dtype=torch.bool)
    for flipped in (False, True):
        turned = rows.flip(1) if flipped else rows
        at = turned == torch.mode(turned[:, 0]).values
        at &= ~at.all(1, keepdim=True)
        runs = at.long().cumprod(1).bool()
        if int(at.sum()) <= (1 + ELSEWHERE) * int(runs.sum()):
            filled |= runs.flip(1) if flipped else runs
    return filled


def agreement(one: dict[int, int], other: dict[int, int]) -> dict[str, int]:
    """Of two samples by least hashes: words in either, words in both, and those with the same id in both."""
    limit = max(other) if len(one) < SAMPLE else max(one) if len(other) < SAMPLE else min(max(one), max(other))
    if len(one) < SAMPLE and len(other) < SAMPLE:
        limit = sys.maxsize
    common = [word for word in one if word in other]
    either = sum(word <= limit for word in one) + sum(word <= limit and word not in one for word in other)
    return {"either": either, "common": len(common), "equal": sum(one[word] == other[word] for word in common)}


def is_table(words: dict[Any, Any]) -> bool:
    """Whether a dict numbers its keys: its values are consecutive integers, each once, from 0 or a little above."""
    if not 2 <= len(words) <= MAX_WORDS:
        return False
    first_word, first = next(iter(words.items()))
    if type(first) is not int or not isinstance(first_word, (str, bytes, int, tuple)):
        return False
    ids = list(words.values())
    if any(type(one) is not int for one in ids):
        return False
    low = min(ids)
    return 0 <= low <= LARGEST_FIRST and max(ids) - low == len(ids) - 1 and len(set(ids)) == len(ids)


def innermost(dataset: Any) -> Any:
    """The data set inside a Subset and the like."""
    for _ in range(5):
        if type(dataset).__module__.startswith("torch.") and hasattr(dataset, "dataset"):
            dataset = dataset.dataset
    return dataset


def tables_in(dataset: Any) -> Iterator[tuple[str, dict[Any, int]]]:
    """The tables among the attributes of a data set, by path."""
    dataset = innermost(dataset)
    parts = getattr(dataset, "datasets", None) if type(dataset).__module__.startswith("torch.") else None
    for one in list(parts)[:4] if isinstance(parts, (list, tuple)) else [dataset]:
        yield from _attributes(one, 0)


def _attributes(owner: Any, depth: int) -> Iterator[tuple[str, dict[Any, int]]]:
    inside = getattr(owner, "__dict__", None)
    if not isinstance(inside, dict):
        return
    for name, value in list(inside.items())[:MAX_ATTRIBUTES]:
        if type(value) is dict:
            if is_table(value):
                yield name, value
        elif depth < MAX_DEPTH and _transparent(value):
            for inner, words in _attributes(value, depth + 1):
                yield f"{name}.{inner}", words


def _transparent(value: Any) -> bool:
    """Whether an object may hold tables that are worth a look: one of a class of the script's."""
    module = type(value).__module__.partition(".")[0]
    return module not in ("builtins", "torch", "numpy", "pandas") and not isinstance(value, torch.nn.Module)
