"""weight-decay-too-large: decay outweighs the gradient, and the weights shrink to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from doctorch.analysis.losses import share_left
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.settings import DECAY, own_line
from doctorch.rules.shared import place_of
from doctorch.source.project import project_of

EARLY = 3
"""Looks at the start that tell how decay and gradient compare: later the gradient fades by itself."""
OUTWEIGHS = 2.0
"""The decay term must be this many times the gradient. With a usual decay of 1e-4 to 1e-2 it is a hundredth of it."""
PULLS = 0.5
"""Of decay that is taken off apart from the gradient (AdamW): share of the whole update that it makes up. Usually a thousandth."""
SHRUNK = 0.6
"""The weights must have come down to this share of their norm …"""
STUCK = 0.8
"""… and the loss must not have come down: a strong decay under which the loss falls is a choice."""
EXPLAINS = ("loss-plateau", "vanishing-gradients", "lr-too-low", "lr-too-high", "dead-relu", "constant-init", "zero-init")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        left = share_left(process)
        if left is None or left <= STUCK:
            continue
        for optimizer in process.facts("optimizer"):
            sizes = process.fact("update", optimizer.key)
            if sizes is not None and (finding := _of(run, process, optimizer, sizes, left)) is not None:
                yield finding


def _of(run: Run, process: Process, optimizer: Fact, sizes: Fact, left: float) -> Finding | None:
    groups = optimizer.get("groups") or ()
    decays = [float(group.get("weight_decay") or 0.0) for group in groups]
    samples = sorted(sizes.get("samples") or ())
    if not any(decays) or len(samples) <= EARLY or not samples[0][1]:
        return None
    apart = str(optimizer.get("cls")) == "AdamW" or bool(sizes.get("decoupled_weight_decay"))
    early = samples[:EARLY]
    if apart:
        now = max(float(group.get("lr") or 0.0) for group in groups)
        ratios = [_rate(optimizer, int(step), now) * decay / update for step, _, _, decay, update in early if update]
    else:
        ratios = [decay / gradient for _, _, gradient, decay, _ in early if gradient]
    before, after = samples[0][1], samples[-1][1]
    if not ratios or median(ratios) < (PULLS if apart else OUTWEIGHS) or after > SHRUNK * before:
        return None
    values: dict[str, Value] = {
        "decay": max(decays),
        "optimizer": str(optimizer.get("cls") or "optimizer"),
        "before": before,
        "after": after,
        "step": int(samples[-1][0]) + 1,
        "ratio": median(ratios),
        "left": left,
        "steps": process.n_steps,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="shrink",
        values=values,
        place=own_line(project_of(run), process, place_of(optimizer), DECAY, decays),
        why="apart" if apart else "outweighs",
        fix="lower",
        explains=EXPLAINS,
        confidence=0.95,
    )


def _rate(optimizer: Fact, step: int, now: float) -> float:
    """The learning rate of a step, counted from 0: a schedule may have changed it since. ``now``: at the end of the run."""
    known = [float(rate) for at, rate in optimizer.get("rate_trace") or () if int(at) <= step + 1]
    return known[-1] if known else now


RULE = Rule(
    id="weight-decay-too-large",
    title="Weight decay outweighs the gradient",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "update"}),
    examine=examine,
)
