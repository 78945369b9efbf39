"""Rows that a model is evaluated on and that it was trained on before: told by fingerprints of what the model is given."""

from __future__ import annotations

import itertools
import sys
import weakref
from collections import Counter
from typing import Any

import torch

from doctorch.observe import rows
from doctorch.observe.answers import Answers
from doctorch.observe.evaluations import callers
from doctorch.observe.events import FIRST_LOOKS, SHARE, Watcher
from doctorch.observe.recorder import now
from doctorch.observe.rows import Rows
from doctorch.observe.session import Session

MAX_MODELS = 6
MAX_TRAINED = 20_000
"""Rows remembered of what a model was trained on."""
MAX_SETS = 24
WHOLE = 2048
"""Rows of a pass that are read one by one; of more every second batch, then every fourth, …"""
MAX_EXAMINED = 4096
MAX_VALUES = 2000
"""Values of a column remembered."""
MAX_BATCHES = 64
MAX_HISTORY = 48
MAX_ARRIVING = 32
KNOWN_WELL = 0.2
"""Share of a batch's rows that had been trained on before, from which its fall to half tells of other rows."""
MAX_TENSORS = 6


class Model:
    """What one set of weights was trained on."""

    def __init__(self, key: str, first: torch.nn.Parameter) -> None:
        self.key = key
        self.first = weakref.ref(first)
        """The first of its weights, by which it is known again however it is wrapped."""
        self.id = id(first)
        self.steps: dict[int, int] = {}
        """Fingerprint of a row, and the number of steps done when it was first trained on."""
        self.batches = self.rows = self.pairs = self.equal = 0
        """Batches read, their rows, pairs of rows within them and those that were equal."""
        self.again: list[float] = []
        """Of the last batches, the share of rows that had been trained on before."""
        self.highest = 0.0
        """The highest mean of three of them."""
        self.changed = False
        """It fell to half of that: other rows are trained on than before."""
        self.loaders: dict[str, int] = {}
        """Rows in the data set of each loader that gave what it was trained on."""
        self.datasets: list[weakref.ref[Any]] = []
        self.stale = False
        """Other weights were loaded since."""


class Pass:
    """One time that the rows of a set were gone through."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.total = self.calls = 0
        self.parts: list[Rows] = []


class EvaluatedSet:
    """What a model is evaluated on at one place, from one loader."""

    def __init__(self, entry: Any, model: Model) -> None:
        self.entry = entry
        self.model = model
        self.now = Pass(-1)
        self.before: frozenset[int] = frozenset()
        self.values: list[set[Any]] = []
        """Of a few columns, the values seen."""
        self.distinct: set[int] = set()
        self.dataset: weakref.ref[Any] | None = None

    def close(self) -> None:
        """Judge the pass that has come to its end."""
        done, self.now = self.now, Pass(-1)
        parts = [part for part in done.parts if part.read]
        prints = list(itertools.chain.from_iterable(part.prints for part in parts))
        if not prints:
            return
        model, data = self.model, self.entry.data
        once = frozenset(prints)
        known = {one for one in once if model.steps.get(one, done.step) < done.step}
        in_use = sum(1 for at in model.steps.values() if at < done.step)
        for part in parts:
            for number, columns in zip(part.prints, part.columns, strict=False):
                if number not in self.distinct and len(self.distinct) < MAX_VALUES:
                    self.distinct.add(number)
                    while len(self.values) < len(columns):
                        self.values.append(set())
                    for held, value in zip(self.values, columns, strict=False):
                        held.add(value)
        counts = Counter(prints)
        again = model.again[-8:]
        data["passes"] += 1
        data.update(
            step=done.step, rows=done.total, read=len(prints), examined=len(once), known=len(known), trained=in_use,
            repeated=len(once & self.before) / len(once), coverage=sum(again) / len(again) if again else 0.0,
            pairs=len(prints) * (len(prints) - 1) // 2, equal=sum(n * (n - 1) // 2 for n in counts.values()),
            train_pairs=model.pairs, train_equal=model.equal, shifted=sum(part.shifts for part in parts),
            neighbours=sum(part.neighbours for part in parts),
            batches=[[len(part.prints), sum(one in known for one in part.prints)] for part in parts[:MAX_BATCHES]],
            distinct=len(self.distinct), column_values=[len(held) for held in self.values],
            changed=model.changed, train_sets=dict(model.loaders), same_set=self._same_set(),
        )  # fmt: skip
        data["history"].append([done.step, len(known), in_use])
        if len(data["history"]) > MAX_HISTORY:
            data["history"] = data["history"][::2]
        self.before = once

    def _same_set(self) -> bool:
        """Whether the loader gives the very data set that training batches come from."""
        mine = self.dataset() if self.dataset is not None else None
        return mine is not None and any(ref() is mine for ref in self.model.datasets)


class RepeatWatcher(Watcher):
    """Listens at the models, the loaders and the optimizers."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def install(self) -> None:
        events = self.session.events
        events.root_call.append(self._call)
        events.root_return.append(self._return)
        events.backward_begins.append(self._backward)
        events.loaded.append(self._loaded)

    def reset(self) -> None:
        self.models: dict[int, Model] = {}
        self.sets: dict[tuple[Any, ...], EvaluatedSet] = {}
        self.answers: Answers[tuple[Model, Rows, Any]] = Answers()
        self.calling: tuple[Model, Rows, Any] | None = None
        self.arriving: list[tuple[Model, Rows, int]] = []
        """Batches that were trained on, and the step."""
        self.optimizers: set[str] = set()
        """Keys of those that are known."""
        self.eval_looks = 0
        self.eval_ns = 0

    def publish(self) -> None:
        for one in list(self.sets.values()):
            if self.session.recorder.finished and one.now.parts:
                one.close()

    # ---- what is trained on

    def _loader(self) -> Any:
        """The watch and the data set of the loader that gave the batch under way; None where none did."""
        session = self.session
        watch = session.last_loader
        if watch is None or session.last_loader_step != session.recorder.steps:
            return None
        dataset = watch.dataset() if watch.dataset is not None else None
        if dataset is None and watch.ref is not None:
            dataset = getattr(watch.ref(), "dataset", None)  # a list, of which there is no weak reference
        return watch, dataset

    def _call(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        self.calling = None
        loader = self._loader()
        root = self.session.roots.get(id(module))
        if root is None or root.entry is None:
            return
        began = now()
        self._look_for_optimizers()
        model = self._model(module, root.entry.key)
        tensors = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor)][:MAX_TENSORS] if model is not None else []
        if model is not None and tensors and tensors[0].ndim and not any(t.requires_grad for t in tensors):
            if self.session.grad_at_call:
                if self.affords():
                    self.calling = (model, rows.of(self.session.recorder, tensors), loader)
            else:
                self._evaluated(model, root.entry.key, tensors, loader)
        if self.calling is not None:
            self.spent_ns += now() - began
        self.session.watch(now() - began)

    def _model(self, module: torch.nn.Module, key: str) -> Model | None:
        first = next(module.parameters(), None)
        if first is None:
            return None
        model = self.models.get(id(first))
        if model is not None and model.first() is first:
            return model
        if model is not None or len(self.models) < MAX_MODELS:
            model = self.models[id(first)] = Model(key, first)
        return model

    def _return(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        if self.calling is not None:
            self.answers.note(self.calling, output)
            self.calling = None

    def _backward(self, loss: torch.Tensor | None, site: Any) -> None:
        """The rows whose answers this loss is of are trained on."""
        if not self.answers.last:
            return
        began = now()
        for model, given, loader in self.answers.behind(loss):
            self._train(model, given, loader)
        self.answers.last.clear()
        self.spent_ns += now() - began
        self.session.watch(now() - began)

    def _train(self, model: Model, given: Rows, loader: Any) -> None:
        model = self.models.get(model.id, model)
        if model.stale:
            model = self._forget(model)
        step = self.session.recorder.steps
        if loader is not None:
            watch, dataset = loader
            if len(model.loaders) < MAX_SETS and not any(ref() is dataset for ref in model.datasets):
                model.loaders[watch.key] = max(_length(dataset), model.loaders.get(watch.key, 0))
                if (ref := _weakly(dataset)) is not None:
                    model.datasets.append(ref)
                    del model.datasets[:-MAX_SETS]
        self.arriving.append((model, given, step))
        self._arrived()

    def _arrived(self) -> None:
        """Take in the batches whose fingerprints are known by now: on an accelerator they come some steps later."""
        while self.arriving and (self.arriving[0][1].read or len(self.arriving) > MAX_ARRIVING):
            self._trained(*self.arriving.pop(0))

    def _trained(self, model: Model, given: Rows, step: int) -> None:
        if not given.read:
            return
        counts = Counter(given.prints)
        model.batches += 1
        model.rows += len(given.prints)
        model.pairs += len(given.prints) * (len(given.prints) - 1) // 2
        model.equal += sum(n * (n - 1) // 2 for n in counts.values())
        if counts:
            model.again.append(sum(one in model.steps for one in counts) / len(counts))
            del model.again[:-16]
            mean = sum(model.again[-3:]) / 3 if len(model.again) >= 3 else 0.0
            model.changed = model.changed or (model.highest > KNOWN_WELL and mean < model.highest / 2)
            model.highest = max(model.highest, mean)
        for one in counts:
            if len(model.steps) < MAX_TRAINED:
                model.steps.setdefault(one, step)

    def _look_for_optimizers(self) -> None:
        """A new optimizer over weights that were trained before: they begin anew, as in the next fold of a cross-validation."""
        for watch in list(self.session.optimizers.values()):
            if watch.key in self.optimizers:
                continue
            self.optimizers.add(watch.key)
            optimizer = watch.ref()
            mine = {id(p) for group in optimizer.param_groups for p in group["params"]} if optimizer is not None else set()
            for first, model in list(self.models.items()):
                if first in mine and model.steps:
                    self._forget(model)

    def _forget(self, model: Model) -> Model:
        for one in self.sets.values():
            if one.model is model:
                one.close()
        first = model.first()
        if first is None:
            return model
        fresh = self.models[model.id] = Model(model.key, first)
        return fresh

    def _loaded(self, module: torch.nn.Module) -> None:
        first = next(module.parameters(), None)
        model = self.models.get(id(first))
        if model is not None:
            model.stale = True

    # ---- what is evaluated

    def _evaluated(self, model: Model, root: str, tensors: list[torch.Tensor], loader: Any) -> None:
        began = now()
        self._arrived()
        _, places = callers(sys._getframe(1))
        watch, dataset = loader or (None, None)
        key = (root, "<".join(places), watch.key if watch is not None else None, id(dataset) if dataset is not None else None)
        one = self.sets.get(key)
        if one is None:
            if len(self.sets) >= MAX_SETS:
                return
            one = self.sets[key] = self._new(key, model, dataset)
        one.model = model
        step = self.session.recorder.steps
        if one.now.step != step:
            one.close()
            one.now = Pass(step)
        one.now.calls += 1
        one.now.total += tensors[0].shape[0]
        read = sum(len(part.prints) for part in one.now.parts)
        every = 1 << max(0, (read // WHOLE)) if read < MAX_EXAMINED else 0
        if every and not one.now.calls % every and self._affords_pass():
            one.now.parts.append(rows.of(self.session.recorder, tensors, closely=True))
        one.entry.count += 1
        self.session.recorder.touch(one.entry)
        self.eval_ns += now() - began

    def _affords_pass(self) -> bool:
        self.eval_looks += 1
        began = self.session.recorder.loop_started
        return self.eval_looks <= FIRST_LOOKS or self.eval_ns < (SHARE * (now() - began) if began else 0.0)

    def _new(self, key: tuple[Any, ...], model: Model, dataset: Any) -> EvaluatedSet:
        around, _ = callers(sys._getframe(2))
        root, places, loader, _ = key
        site = around[0] if around else None
        data = {
            "root": root,
            "name": "0",
            "caller": around[1].as_data if len(around) > 1 else None,
            "loader": loader,
            "set_rows": _length(dataset),
            "passes": 0,
            "history": [],
        }
        text = f"{root}:{places}/{loader}/{len(self.sets)}"
        one = EvaluatedSet(self.session.recorder.fact("evaluated_rows", text, site, lambda: data), model)
        one.dataset = _weakly(dataset)
        return one


def _weakly(dataset: Any) -> weakref.ref[Any] | None:
    try:
        return weakref.ref(dataset) if dataset is not None else None
    except TypeError:  # a list
        return None


def _length(dataset: Any) -> int:
    try:
        return len(dataset)
    except Exception:
        return 0
