"""init-scale: initial weights make the signal grow or shrink from layer to layer, or the first scores far too large."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from doctorch.analysis.trouble import Trouble, guess, trouble
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model.layers import EARLY, Layer, chain, is_game, layers, process_of
from doctorch.rules.shared import place_of, related

MIN_LAYERS = 3
FAR = 1e3
"""Deviation of the last layer's sums over that of the inputs, or the inverse, from which it is far off."""
FACTOR = 3.0
"""… and the least factor from layer to layer. torch's own initialisation of a Linear, with ReLU, gives 0.4."""
LARGE_SCORES = 10.0
"""Deviation of the last layer's sums from which they are large: softmax is then sure of a class, and mostly wrong."""
TIMES_GUESS = 10.0
"""First loss over that of a uniform guess."""
LARGE_INPUT = 10.0
EXPLAINS = (
    "loss-plateau", "loss-diverges", "exploding-gradients", "vanishing-gradients", "saturated-activations", "dead-relu", "lr-too-high",
    "lr-too-low", "exp-overflow", "fp16-overflow", "class-imbalance", "labels-misaligned",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    if process is None or not process.facts("layer") or is_game(process):
        return
    row = [layer for layer in chain(layers(process)) if layer.looks and layer.looks[0].step <= EARLY]
    if len(row) < 2 or row[0].looks[0].in_std > LARGE_INPUT:
        return
    seen = trouble(process)
    start, end = row[0].looks[0].in_std, row[-1].looks[0].out_std
    rate = _rate(start, end, len(row))
    if seen is not None and len(row) >= MIN_LAYERS and start > 0:
        if end > FAR * start and rate > FACTOR:
            yield _finding(row, "grows", {"rate": rate, "start": start, "end": end}, seen)
            return
        shrunk = _shrunk(row)
        if shrunk is not None:
            yield _finding(row, "shrinks", shrunk, seen)
            return
    yield from _first_loss(process, row, end, seen)


def _rate(start: float, end: float, steps: int) -> float:
    """The factor a layer."""
    return float((end / start) ** (1 / steps)) if start > 0 and end > 0 else math.nan


def _shrunk(row: Sequence[Layer]) -> dict[str, Value] | None:
    """What differs from sample to sample, from the inputs to the last layer's sums, where next to nothing is left."""
    if any(layer.activation.get("kind") == "sigmoid" for layer in row):
        return None  # its slope takes most of it, whatever the weights
    start, end = row[0].looks[0].in_within, row[-1].looks[0].out_within
    # Nothing at all is left where units are dead or weights are zero, which have rules of their own.
    if start <= 0 or end <= 0 or end * FAR > start:
        return None
    rate = _rate(start, end, len(row))
    return {"rate": rate, "start": start, "end": end, "inverse": 1 / rate} if rate < 1 / FACTOR else None


def _first_loss(process: Process, row: Sequence[Layer], end: float, seen: Trouble | None) -> Iterator[Finding]:
    """A first loss many times that of a guess, with scores so large that they make it so."""
    uniform, losses = guess(process), process.steps.losses()
    own = any(layer.filled is not None for layer in row)
    if uniform is None or not losses or not end >= LARGE_SCORES or not (own or seen is not None):
        return
    counts = [
        fact for fact in process.facts("loss_call") if fact.get("train_count") and fact.get("function") in ("cross_entropy", "nll_loss")
    ]
    first = losses[0][1]
    if len(counts) == 1 and losses[0][0] <= EARLY and first >= TIMES_GUESS * uniform:
        classes = int(counts[0].get("n_classes") or 0)
        yield _finding(row, "first-loss", {"first": first, "uniform": math.log(max(classes, 2)), "classes": classes, "end": end}, seen)


def _finding(row: Sequence[Layer], message: str, values: dict[str, Value], seen: Trouble | None) -> Finding:
    filled = [layer for layer in row if layer.filled is not None]
    place = (filled[0] if filled else row[-1] if message == "first-loss" else row[0]).made
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message=message,
        values={**values, "layers": len(row), "layer": row[0].name, "last_layer": row[-1].name, "trouble": seen.kind if seen else None},
        place=place,
        related=related(*(layer.built for layer in row[:3]), place_of(row[0].fact)),
        why=f"{message}-why",
        fix="keep",
        explains=EXPLAINS,
        confidence=0.85,
        ground="values",
    )


RULE = Rule(
    id="init-scale",
    title="The scale of the initial weights does not fit the depth",
    severity=Severity.WARNING,
    needs=frozenset({"layer"}),
    examine=examine,
)
