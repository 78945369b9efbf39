"""The founding case: a classifier whose loss stays at ln 2, or at ln n. Every known way to get there is told apart.

One program is healthy and learns. Each way changes one thing of it; the loss must then really stay there, and the change must be
named, with its line, before anything else. No straight line solves the task, so that a net with equal or dead units has nothing to
learn.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from e2e.client import Server

from doctorch.diagnose import Diagnosis, diagnose
from doctorch.findings import Severity
from doctorch.records.reader import Run

TWO = """\
import copy
import torch
from torch import nn

torch.manual_seed(0)
n = 1600
x = torch.randn(n, 8)
y = (x[:, :1] * x[:, 1:2] > 0).float()

model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(8):
    for rows in torch.randperm(n).split(32):
        out = model(x[rows])
        loss = criterion(out, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())
"""
FOUR = (
    TWO.replace("y = (x[:, :1] * x[:, 1:2] > 0).float()", "y = 2 * (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] * x[:, 3] > 0).long()")
    .replace("nn.Linear(64, 1)", "nn.Linear(64, 4)")
    .replace("nn.BCEWithLogitsLoss", "nn.CrossEntropyLoss")
)
PROGRAMS = {"two": TWO, "four": FOUR}
LEVEL = {"two": math.log(2), "four": math.log(4)}
NEAR = 0.08
"""Relative distance from ln n within which the mean loss of the last half must lie."""
LEARNED = 0.6
"""Share of ln n under which the healthy program ends."""
INIT = "for layer in model:\n    if isinstance(layer, nn.Linear):\n        "
BEFORE = "criterion ="


@dataclass(frozen=True)
class Way:
    """One way to be stuck."""

    name: str
    rules: tuple[str, ...]
    """The right answer, or answers."""
    old: str
    new: str
    """With ``# <-`` at the end of each line that may be named; where there is none, any line of the script."""
    program: tuple[str, ...] = ("two", "four")
    level: float | None = None
    """Where the loss stays, if not at ln n."""
    near: float = NEAR
    also: tuple[str, ...] = field(default=())
    """What is true besides."""


def init(text: str) -> str:
    """Lines that fill the model's layers, before the loss is made."""
    return f"{INIT}{text}\n{BEFORE}"


def both(fill: str, value: str = "") -> str:
    """Weights and biases filled alike."""
    return f"nn.init.{fill}(layer.weight{value})  # <-\n        nn.init.{fill}(layer.bias{value})  # <-"


ADAM = "optimizer = torch.optim.Adam(model.parameters(), lr=0.005)"
WAYS = (
    Way("equal weights", ("constant-init",), BEFORE, init(both("constant_", ", 0.05"))),
    Way("all zero", ("zero-init",), BEFORE, init(both("zeros_"))),
    Way("weights of zero", ("zero-init",), BEFORE, init("nn.init.zeros_(layer.weight)  # <-"), ("four",)),
    Way("inputs near zero", ("input-scale-small",), "x = torch.randn(n, 8)", "x = torch.randn(n, 8) * 1e-4  # <-", near=0.1),
    Way("outputs of constant inputs", ("input-scale-small",), "model(x[rows])", "model(torch.zeros_like(x[rows]))  # <-"),
    Way("flat activations", ("saturated-activations",), BEFORE, init("nn.init.constant_(layer.bias, 15.0)  # <-"), level=math.nan),
    Way("a rate too small", ("lr-too-low",), "lr=0.005)", "lr=1e-7)  # <-"),
    Way("a rate too large", ("lr-too-high",), "lr=0.005)", "lr=5.0)  # <-", level=math.nan),
    Way("softmax twice", ("double-softmax",), "nn.Linear(64, 4))", "nn.Linear(64, 4), nn.Softmax(dim=1))  # <-", ("four",), near=0.25),
    Way(
        "sigmoid twice",
        ("sigmoid-before-bce-with-logits",),
        "nn.Linear(64, 1))",
        "nn.Linear(64, 1), nn.Sigmoid())  # <-",
        ("two",),
        near=0.25,
    ),
    Way(
        "a softmax over one unit",
        ("single-unit-softmax",),
        "nn.Linear(64, 1))",
        "nn.Linear(64, 1), nn.Softmax(dim=1))  # <-",
        ("two",),
        near=0.25,
    ),
    Way("a graph that is cut", ("graph-broken",), "out = model(x[rows])", "out = model(x[rows]).detach().requires_grad_()  # <-"),
    Way(
        "a forward without gradients",
        ("no-grad-forward", "graph-broken"),
        "out = model(x[rows])",
        "with torch.no_grad():  # <-\n            out = model(x[rows])  # <-\n        out.requires_grad_()  # <-",
    ),
    Way(
        "parameters of another model",
        ("optimizer-missing-params", "optimizer-stale-params"),
        ADAM,
        "optimizer = torch.optim.Adam(copy.deepcopy(model).parameters(), lr=0.005)  # <-",
    ),
    Way("no step", ("missing-step",), "        optimizer.step()\n", ""),
    Way(
        "cleared too late",
        ("zero-grad-before-step",),
        "        optimizer.zero_grad()\n        loss.backward()\n",
        "        loss.backward()\n        optimizer.zero_grad()  # <-\n",
    ),
    Way(
        "frozen", ("frozen-by-mistake",), BEFORE, "for p in model[:4].parameters():\n    p.requires_grad_(False)  # <-\n" + BEFORE, near=0.2
    ),
    Way("labels that are noise", ("labels-misaligned",), "\nmodel =", "y = torch.randint_like(y, int(y.max()) + 1)\n\nmodel =", near=0.2),
    Way("labels of other samples", ("labels-misaligned",), "\nmodel =", "y = y[torch.randperm(n)]  # <-\n\nmodel =", near=0.2),
    Way(
        "a loss without the model",
        ("loss-detached-from-model", "graph-broken"),
        "loss = criterion(out, y[rows])",
        "loss = criterion(torch.zeros_like(out).requires_grad_(), y[rows])  # <-",
    ),
)
CASES = [pytest.param(which, way, id=f"{which}: {way.name}") for way in WAYS for which in way.program]


def run(server: Server, folder: Path, text: str) -> tuple[Diagnosis, list[float], str]:
    """What is said of a script, and the losses that were watched."""
    path = folder / "train.py"
    path.write_text(text, encoding="utf-8")
    ran = server.run(path)
    assert ran.record is not None, ran.said
    record = Run(ran.record)
    try:
        diagnosis = diagnose(record)
        losses = list(record.training[0].steps["loss"]) if record.training else []
    finally:
        record.close()
    printed = [float(word) for word in re.findall(r"loss (\S+)", ran.said)]
    return diagnosis, losses or printed, ran.said


@pytest.mark.parametrize("which", PROGRAMS)
def test_the_healthy_program_learns_in_silence(server: Server, tmp_path: Path, which: str) -> None:
    diagnosis, losses, said = run(server, tmp_path, PROGRAMS[which])
    assert losses[-1] < LEARNED * LEVEL[which], said
    assert [found.finding.rule for found in diagnosis.findings if found.finding.severity <= Severity.WARNING] == [], said


@pytest.mark.parametrize("which, way", CASES)
def test_each_way_is_told(server: Server, tmp_path: Path, which: str, way: Way) -> None:
    text = PROGRAMS[which].replace(way.old, way.new)
    assert text != PROGRAMS[which]
    diagnosis, losses, said = run(server, tmp_path, text)
    said = "\n".join(
        [*(f"{one.finding.rule} {one.finding.place} {one.explained_by} {dict(one.finding.values)}" for one in diagnosis.findings), said]
    )
    half = losses[len(losses) // 2 :]
    level = LEVEL[which] if way.level is None else way.level
    assert math.isnan(level) or abs(sum(half) / len(half) - level) <= way.near * level, f"{sum(half) / len(half):.3f}\n{said}"

    causes = [one.finding for one in diagnosis.findings if one.finding.severity <= Severity.WARNING and one.explained_by is None]
    assert causes, said
    assert causes[0].rule in way.rules, said
    assert {one.rule for one in causes} <= {*way.rules, *way.also}, said
    marked = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# <-")}
    place = causes[0].place
    assert place is not None, said
    assert not marked or place.line in marked, said
