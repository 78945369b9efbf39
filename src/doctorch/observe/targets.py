"""Each loss function over time: its value, the labels by batch, what the model chose, and how far the targets are spread."""

from __future__ import annotations

import math
from collections import Counter, deque
from typing import Any

import torch

from doctorch.observe import values
from doctorch.observe.answers import Answers
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here
from doctorch.observe.recorder import now
from doctorch.observe.session import Session

MAX_CLASSES = 200
"""Labels are counted by batch up to so many classes."""
SPREAD_ELEMENTS = 16_384
"""Elements of the model's answer whose deviation over the batch is taken."""
MAX_ELEMENTS = 100_000
"""Of more targets the first rows are read."""
RECENT = 64
"""Calls remembered one by one."""
FIRST_VALUES = 64
LAST_VALUES = 192
CALLS_A_STEP = 8
MAX_PLACES = 200
RARE = 0.3
"""Share of a batch up to which a class of two is rare."""
MAX_COLUMNS = 64
TRACED_CALLS = 12
"""Calls at one place whose graph is walked back to the models."""
BINARY = ("binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss")
CLASSIFICATION = ("cross_entropy", "nll_loss")
REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
FEW_CLASSES = 16
"""Up to which labels and choices are counted in one table."""


class Place:
    """One loss function at one place, in training or in evaluation."""

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self.first: list[list[float]] = []
        self.last: deque[list[float]] = deque(maxlen=LAST_VALUES)
        self.recent: deque[list[Any]] = deque(maxlen=RECENT)
        """For classes: step, rows, labels by class, choices by class, right ones."""
        self.margins: deque[list[float]] = deque(maxlen=RECENT)
        """Two classes, one of them rare: step, samples of both, difference of their mean answers, variance within."""
        self.labels: Counter[int] = Counter()
        self.turn = -1
        self.turn_labels: Counter[int] = Counter()
        self.turns = 0
        self.turn_rows = 0
        self.entropy = 0.0
        self.columns: list[list[float]] = []
        """For each column of a regression's targets: values, sum, sum of squares."""
        self.spread: deque[list[float]] = deque(maxlen=RECENT)
        """Step, deviation of the model's answer over the batch, mean size of the answer."""
        self.step = self.in_step = -1


class TargetWatcher(Watcher):
    """Listens at the loss functions."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.places: dict[tuple[Any, ...], Place] = {}
        self.current: Place | None = None
        self.answers: Answers[tuple[str, Site | None]] = Answers()

    def install(self) -> None:
        self.session.events.root_return.append(self._answered)
        self.session.events.loss_call.append(self._call)
        self.session.events.loss_return.append(self._return)

    def reset(self) -> None:
        self.places.clear()
        self.current = None
        self.answers = Answers()

    def publish(self) -> None:
        for place in list(self.places.values()):
            data = place.entry.data
            if data.get("published") == data["calls"]:
                continue
            data["published"] = data["calls"]
            data["values"] = [*place.first, *place.last]
            data["recent"] = list(place.recent)
            data["margins"] = list(place.margins)
            data["spread"] = list(place.spread)
            data["labels"] = {str(label): n for label, n in place.labels.items()}
            if place.turns:
                data.update(turns=place.turns, turn_entropy=place.entropy / place.turns, turn_rows=place.turn_rows / place.turns)
            self.session.recorder.touch(place.entry)

    # ---- events

    def _answered(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        root = self.session.roots.get(id(module))
        if self.session.grad_at_call and root is not None and root.entry is not None:
            self.answers.note((root.entry.key, here(3)), output)

    def _trace(self, place: Place, value: torch.Tensor) -> None:
        """Which models' answers the loss is of."""
        known = place.entry.data.setdefault("answers", [])
        for root, site in self.answers.behind(value):
            one = [root, site.file if site else None, site.line if site else None]
            if one not in known:
                known.append(one)

    def _call(self, name: str, value: torch.Tensor, bound: dict[str, Any], site: Site | None, entry: Any) -> None:
        began = now()
        self.current = None
        phase = "train" if value.requires_grad else "eval"
        key = (name, phase, site)
        place = self.places.get(key)
        if place is None:
            if len(self.places) >= MAX_PLACES:
                return
            place = self.places[key] = self._new(key, entry.key, bound)
        place.entry.count += 1
        place.entry.data["calls"] += 1
        self.session.recorder.touch(place.entry)
        step = self.session.recorder.steps
        if phase == "train" and place.entry.count <= TRACED_CALLS:
            self._trace(place, value)
        if step != place.step:
            place.step, place.in_step = step, 0
        place.in_step += 1
        if place.in_step <= CALLS_A_STEP and self.affords():
            self.current = place
            target = bound["target"]
            if value.is_cpu and target.is_cpu and values.readable(value) and values.readable(target) and value.numel():
                self._read(place, name, value.detach(), target.detach(), bound)
        self.spent_ns += now() - began
        self.session.watch(now() - began)

    def _return(self, name: str, result: Any, bound: dict[str, Any], site: Site | None) -> None:
        place, self.current = self.current, None
        if place is None or not isinstance(result, torch.Tensor) or not values.readable(result) or result.numel() != 1:
            return
        step = self.session.recorder.steps

        def use(found: list[float]) -> None:
            series = place.first if len(place.first) < FIRST_VALUES else place.last
            series.append([step, found[0]])
            self.session.recorder.touch(place.entry)

        values.read_later(self.session.recorder, [result], use)

    def _new(self, key: tuple[Any, ...], loss_call: str, bound: dict[str, Any]) -> Place:
        name, phase, site = key
        recorder = self.session.recorder
        text = f"{name}:{phase}@{site.key if site else '?'}"
        weighted = bound.get("weight") is not None or bound.get("pos_weight") is not None
        return Place(
            recorder.fact(
                "target",
                text,
                site,
                lambda: {"function": name, "phase": phase, "loss_call": loss_call, "calls": 0, "weighted": weighted},
            )
        )

    # ---- values of a CPU batch

    def _read(self, place: Place, name: str, value: torch.Tensor, target: torch.Tensor, bound: dict[str, Any]) -> None:
        if value.is_floating_point() and value.ndim and value.shape[0] > 1:
            rows = value[: max(2, SPREAD_ELEMENTS * value.shape[0] // max(value.numel(), SPREAD_ELEMENTS))].double()
            spread, size = float(values.item(rows.var(0, unbiased=False).mean().sqrt())), float(values.item(rows.abs().mean()))
            place.spread.append([place.step, spread, size])
        if name in CLASSIFICATION:
            self._classes(place, name, value, target, bound)
        elif name in BINARY:
            self._binary(place, name, value, target)
        elif name in REGRESSION and target.is_floating_point():
            self._values(place, target)

    def _classes(self, place: Place, name: str, value: torch.Tensor, target: torch.Tensor, bound: dict[str, Any]) -> None:
        dim = 1 if value.ndim > 1 else 0
        classes = value.shape[dim]
        if classes > MAX_CLASSES or value.numel() > 20 * MAX_ELEMENTS:
            return
        if target.is_floating_point():
            if target.shape != value.shape:
                return
            target = target.argmax(dim)
        chosen = value.argmax(dim)
        if chosen.shape != target.shape or not target.numel():
            return
        low, high = (int(values.item(one)) for one in target.aminmax())
        if low < 0 or high >= classes or low <= bound.get("ignore_index", -100) <= high:
            keep = (target >= 0) & (target < classes) & (target != bound.get("ignore_index", -100))
            chosen, target = chosen[keep], target[keep]
        if classes == 2 and value.ndim == 2 and len(chosen) == len(value):
            self._margin(place, value[:, 1] - value[:, 0], target > 0)
        self._count(place, chosen.flatten(), target.flatten().long(), classes)

    def _binary(self, place: Place, name: str, value: torch.Tensor, target: torch.Tensor) -> None:
        if value.shape != target.shape or value.numel() > MAX_ELEMENTS or (value.ndim > 1 and value.numel() != value.shape[0]):
            return
        if bool(((target != 0) & (target.abs() != 1)).any()):
            return  # shares, not classes
        self._margin(place, value.flatten(), target.flatten() > 0)
        cut = 0.5 if name == "binary_cross_entropy" else 0.0
        self._count(place, (value.flatten() > cut).long(), (target.flatten() > 0).long(), 2)

    def _count(self, place: Place, chosen: torch.Tensor, target: torch.Tensor, classes: int) -> None:
        if not target.numel():
            return
        labels, choices, right = _table(chosen, target, classes)
        place.recent.append([place.step, target.numel(), _sparse(labels), _sparse(choices), _sparse(right)])
        counted = Counter({label: n for label, n in enumerate(labels) if n})
        place.labels.update(counted)
        if place.turn != place.step:
            self._close_turn(place)
            place.turn = place.step
        place.turn_labels.update(counted)

    def _margin(self, place: Place, scores: torch.Tensor, one: torch.Tensor) -> None:
        """How far the answers to the two classes lie apart, where one of them is rare."""
        n, ones = one.numel(), int(values.item(one.sum()))
        if not 0 < ones < n or RARE < ones / n < 1 - RARE:
            return
        scores, share = scores.double(), one.double()
        mean_one = float(values.item((scores * share).sum())) / ones
        mean_other = float(values.item((scores * (1 - share)).sum())) / (n - ones)
        within = scores - mean_other - (mean_one - mean_other) * share
        place.margins.append([place.step, n - ones, ones, mean_one - mean_other, float(values.item((within * within).sum())) / n])

    def _close_turn(self, place: Place) -> None:
        """The labels of the step before are complete: their entropy."""
        total = sum(place.turn_labels.values())
        if total > 1:
            place.turns += 1
            place.turn_rows += total
            place.entropy -= sum(n / total * math.log(n / total) for n in place.turn_labels.values())
        place.turn_labels.clear()

    def _values(self, place: Place, target: torch.Tensor) -> None:
        table = target.reshape(target.shape[0], -1) if target.ndim > 1 else target.reshape(-1, 1)
        if table.shape[1] > MAX_COLUMNS:
            table = table[:, :: math.ceil(table.shape[1] / MAX_COLUMNS)]
        table = table[: max(1, MAX_ELEMENTS // table.shape[1])].double()
        sums, squares = table.sum(0).tolist(), (table * table).sum(0).tolist()
        if not all(map(math.isfinite, (*sums, *squares))):
            return
        if len(place.columns) != len(sums):
            place.columns = [[0.0, 0.0, 0.0] for _ in sums]
        n = float(table.shape[0])
        for column, total, square in zip(place.columns, sums, squares, strict=True):
            column[0] += n
            column[1] += total
            column[2] += square
        means = [column[1] / column[0] for column in place.columns]
        variances = [max(0.0, column[2] / column[0] - mean**2) for column, mean in zip(place.columns, means, strict=True)]
        place.entry.data.update(
            target_mean=sum(means) / len(means), target_var=sum(variances) / len(variances), target_n=place.columns[0][0]
        )


def _table(chosen: torch.Tensor, target: torch.Tensor, classes: int) -> tuple[list[int], list[int], list[int]]:
    """How often each class is the label, is chosen, and is both."""
    if classes > FEW_CLASSES:
        labels = torch.bincount(target, minlength=classes).tolist()
        choices = torch.bincount(chosen, minlength=classes).tolist()
        return labels, choices, torch.bincount(target[chosen == target], minlength=classes).tolist()
    pairs = torch.bincount(target * classes + chosen, minlength=classes * classes).tolist()  # one count in place of three
    labels = [sum(pairs[at : at + classes]) for at in range(0, classes * classes, classes)]
    return labels, [sum(pairs[at::classes]) for at in range(classes)], pairs[:: classes + 1]


def _sparse(counts: list[int]) -> dict[str, int]:
    return {str(label): n for label, n in enumerate(counts) if n}
