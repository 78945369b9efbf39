"""loss-reduction-sum: the loss is summed over the batch, so that the step is as many times larger as there are samples."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from doctorch.analysis import probes
from doctorch.analysis.losses import losses
from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related
from doctorch.source import edits, query
from doctorch.source.project import Project

PLAIN = frozenset(("SGD", "ASGD"))
"""Optimizers whose step grows with the gradient. Adam and its like divide by its size."""
MIN_SUMMED = 8
"""Elements added up. Below that the step is hardly another."""
MIN_STEPS = 20
MIN_EFFECTIVE = 1.0
"""Learning rate on the mean, momentum counted in, from which a step is too large for nearly any network: usual rates are 0.001 to 0.1."""
STILL_UP = 0.9
"""Share of its start above which the loss ends: the sum does harm. A rate that was chosen for the sum does none."""
BETTER = 0.5
"""A smaller rate ends, on copies, at less than this share of where the script's rate ends."""
EXPLAINS = ("lr-too-high", "loss-diverges", "loss-plateau", "exploding-gradients", "dead-relu", "exp-overflow", "saturated-activations")
FUNCTIONS = frozenset(
    ("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")
    + ("binary_cross_entropy_with_logits", "kl_div", "square", "absolute", "log_prob")
)


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    stepping = [one for one in process.facts("optimizer") if one.get("steps")]
    if len(stepping) != 1 or stepping[0].get("cls") not in PLAIN:
        return
    trouble = _trouble(process)
    if trouble is None:
        return
    for term in process.facts("loss_term"):
        summed = _summed(process, term)
        if summed >= MIN_SUMMED and summed * _rate(stepping[0]) >= MIN_EFFECTIVE:
            yield _finding(term, stepping[0], process, summed, trouble)
            return


def _rate(optimizer: Fact) -> float:
    """The largest learning rate of its groups, as large as momentum makes it."""
    groups = optimizer.get("groups") or []
    return max((float(group.get("lr") or 0.0) / (1 - min(0.99, float(group.get("momentum") or 0.0))) for group in groups), default=0.0)


def _summed(process: Process, term: Fact) -> float:
    """How many elements' worth of the term the loss is; 1 for a mean."""
    if str(term["head"]) not in FUNCTIONS or term.get("averaged") or term.get("unknown"):
        return 0.0
    total = float(term.get("total") or 1.0)
    if term.get("function"):
        call = next((one for one in process.facts("loss_call") if (one.file, one.line) == (term.file, term.line)), None)
        if call is None or term.get("reduction") == "mean" or term.get("reduction") == "batchmean":
            return 0.0
        if term.get("reduction") == "sum":
            total *= math.prod(call.get("target_shape") or [1])
    return total * float(term.get("scale") or 1.0)


def _trouble(process: Process) -> dict[str, Value] | None:
    """What shows that the step is too large, or None."""
    values = [value for _, value in process.steps.losses()]
    known = [value for value in losses(process) if math.isfinite(value)]
    if not known:
        return None
    first, last = known[0], known[-max(1, len(known) // 5) :]
    level = sum(last) / len(last)
    if not math.isfinite(values[-1]):
        return {"trouble": "is no number any more", "first": first}
    if len(known) >= MIN_STEPS and level > STILL_UP * first:
        return {"trouble": f"is at {level:.4g} after {process.n_steps} steps", "first": first}
    one_batch = probes.probe(process, "one-batch")
    own = next((arm for arm in one_batch.side("") if arm.factor == 1), None) if one_batch is not None else None
    lower = probes.best([arm for arm in one_batch.side("") if arm.factor < 1]) if one_batch is not None else None
    if own is not None and lower is not None and (not own.finite or lower.last < BETTER * own.last) and not own.falls:
        return {"trouble": f"stays at {own.last:.4g} on one batch", "first": own.first}
    return None


def _finding(term: Fact, optimizer: Fact, process: Process, summed: float, trouble: dict[str, Value]) -> Finding:
    rates = [group.get("lr") for group in optimizer.get("groups") or [] if group.get("lr")]
    rate = float(rates[0]) if rates else math.nan
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="summed",
        values={
            "summed": round(summed),
            "optimizer": str(optimizer.get("cls")),
            "lr": rate,
            "effective": rate * summed,
            **trouble,
        },
        place=place_of(term),
        related=related(place_of(optimizer)),
        why="grows",
        fix="mean",
        explains=EXPLAINS,
        confidence=0.9,
        ground="graph",
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """``reduction="mean"`` where the call, or the only construction of a loss, says ``sum``."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    calls = query.calls_at(file, finding.place.line)
    calls += [
        node for node in file.nodes if isinstance(node, ast.Call) and (query.qualified(file, node.func) or "").startswith("torch.nn.")
    ]
    said = {call: word for call in calls if (word := _reduction(call)) is not None}
    if len(said) != 1:
        return None
    call = next(iter(said))
    return edits.make(file, [edits.set_keyword(call, "reduction", '"mean"')], safe=False)


def _reduction(call: ast.Call) -> str | None:
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "reduction"), None)
    return given.value if isinstance(given, ast.Constant) and given.value == "sum" else None


RULE = Rule(
    id="loss-reduction-sum",
    title="The loss is a sum over the batch",
    severity=Severity.WARNING,
    needs=frozenset({"optimizer", "backward"}),
    examine=examine,
    edit=edit,
)
