"""input-scale-large: a model is given numbers like 0..255 or raw amounts, and the training suffers from it."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.analysis.trouble import trouble
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data import scales
from doctorch.rules.learning_data.scales import Rescaling, Scale
from doctorch.rules.learning_data.sources import data_place
from doctorch.rules.learning_model.dead_relu import killed_by_inputs
from doctorch.rules.learning_model.saturated_activations import flattened_by_inputs
from doctorch.source.project import project_of

LARGE = 10.0
"""Root mean square of the input, or of its largest feature, from which it is large: layers are initialised for about 1."""
HUGE = 50.0
"""… from which it is blamed without an experiment, where the training fails and nothing normalises: at 50 times the scale the largest
stable rate is 2,500 times smaller for a linear model (its curvature grows with the square)."""
SPREAD = 0.05
"""Deviation of a feature over a batch under which the differences are too small, whatever the offset: input-scale-small."""
STILL_UP = 0.5
"""Share of its start above which the loss of a flattened net must have stayed for an error; below it something was learned."""
EXPLAINS = (
    "loss-plateau", "loss-diverges", "lr-too-high", "dead-relu", "saturated-activations", "exploding-gradients", "vanishing-gradients",
    "init-scale", "lr-too-low", "class-imbalance", "exp-overflow", "grad-clip-too-small",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    tried = scales.rescaling(process)
    flat = flattened_by_inputs(process)
    seen = trouble(process) or scales.slow(process, tried) or (scales.level(process) if flat is not None else None)
    large = [scale for scale in scales.scales(process) if max(scale.rms, scale.largest) >= LARGE and scale.spread >= SPREAD]
    if seen is None or not large:
        return
    scale = max(large, key=lambda one: one.rms)
    killed = killed_by_inputs(process) if flat is None else None
    if tried is not None and not tried.helps:
        if flat is None and killed is None:
            return
        tried = None  # its few steps do not bring every net to learn, and what the inputs did to the first layer is seen
    elif tried is None and flat is None and max(scale.rms, scale.largest) < HUGE:
        return
    values = scales.values(scale, seen, tried)
    if flat is not None:
        values |= {"beyond": flat.activation["looks"][0][2], "activation": str(flat.activation["kind"])}
    if killed is not None:
        values |= {"units": killed.units}
    severity = Severity.WARNING if seen.kind == "level" and seen.last < STILL_UP * seen.first else Severity.ERROR
    yield _finding(run, scale, values, "flattens" if flat is not None else "kills" if killed is not None else seen.kind, tried, severity)


def _finding(run: Run, scale: Scale, values: dict[str, Value], kind: str, tried: Rescaling | None, severity: Severity) -> Finding:
    place, others = data_place(project_of(run), scale.fact)
    mixed = scale.largest > 10 * max(scale.rms / scale.largest, 1.0) and scale.largest > 3 * scale.rms
    return Finding(
        rule=RULE.id,
        severity=severity,
        message="mixed" if mixed else "range",
        values=values,
        place=place,
        related=others,
        why={"not-finite": "breaks", "grows": "breaks", "flattens": "flattens", "kills": "kills"}.get(kind, "stuck"),
        fix="standardise",
        proof="copies" if tried is not None else None,
        explains=EXPLAINS,
        confidence=0.95 if tried is not None else 0.85,
    )


RULE = Rule(
    id="input-scale-large",
    title="The inputs are far too large",
    severity=Severity.ERROR,
    needs=frozenset({"input"}),
    examine=examine,
)
