"""input-scale-small: inputs that are the same for all samples, or so nearly that a model cannot tell them apart."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from doctorch.analysis import batches
from doctorch.analysis.trouble import trouble
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data import scales
from doctorch.rules.learning_data.scales import Scale
from doctorch.rules.learning_data.sources import data_place
from doctorch.source.project import project_of

MIN_BATCHES = 5
"""Batches that must be read, each of several samples."""
SMALL = 0.05
"""Deviation of a feature over a batch under which inputs are small: a twentieth of what layers are initialised for."""
TINY = 1e-3
"""… under which they are blamed without an experiment that helps, where the training stays at a guess: some tasks take more than its
few steps."""
SAME_ANSWERS = 0.02
"""Deviation of the answers over a batch, relative to their size, under which the model says the same of every sample."""
EXPLAINS = (
    "loss-plateau", "class-imbalance", "vanishing-gradients", "lr-too-low", "init-scale", "labels-misaligned", "constant-init",
    "dead-relu", "lr-too-high", "bf16-update-lost",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    seen = trouble(process)
    found = scales.scales(process)
    if seen is None or seen.kind not in ("guess", "stuck") or not found or batches.integer_inputs(process):
        return  # tokens and categories may hold what the numbers do not
    scale = max(found, key=lambda one: one.spread)  # the most telling input: if that one is small, all are
    if scale.batches < MIN_BATCHES or int(scale.fact.get("compared") or 0) < MIN_BATCHES:
        return
    tried = scales.rescaling(process)
    if scale.constant:
        message, proof = "constant", False
    elif scale.spread < SMALL and tried is not None and tried.helps:
        message, proof = ("offset" if abs(scale.mean) > 20 * scale.spread else "small"), True
    elif scale.spread < TINY and _same_answers(process):
        message, proof = "small", False
    else:
        return
    yield _finding(run, scale, message, dict(scales.values(scale, seen, tried)), proof)


def _same_answers(process: Process) -> bool:
    spreads = [spread for fact in batches.targets(process) if (spread := batches.answer_spread(fact)) is not None]
    return bool(spreads) and fmean(spreads) < SAME_ANSWERS


def _finding(run: Run, scale: Scale, message: str, values: dict[str, Value], proof: bool) -> Finding:
    place, others = data_place(project_of(run), scale.fact)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=place,
        related=others,
        why="same" if message == "constant" else "bias",
        fix="look" if message == "constant" else "standardise",
        proof="copies" if proof else None,
        explains=EXPLAINS,
        confidence=0.95 if proof or message == "constant" else 0.85,
    )


RULE = Rule(
    id="input-scale-small",
    title="The inputs hardly differ from sample to sample",
    severity=Severity.ERROR,
    needs=frozenset({"input"}),
    examine=examine,
)
