"""optimizer-missing-params: parameters get gradients, but no optimizer holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.optimizer_stale_params import stale
from doctorch.rules.shared import place_of, related, site_place

EXPLAINS = ("loss-plateau", "lr-too-low", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        if any(optimizer.get("steps") for optimizer in process.facts("optimizer")):
            for module in process.facts("module"):
                if (finding := _of(process, module)) is not None:
                    yield finding


def _of(process: Process, module: Fact) -> Finding | None:
    params = [p for p in tensors.parameters(process) if str(p.get("root")) == module.key and p.get("is_parameter") and p.get("registered")]
    learning = [p for p in params if p.get("reached") and p.get("got_grad") and not _in_eval_mode(p)]
    missing = [p for p in learning if not tensors.in_optimizer(p)]
    held = [p for p in params if tensors.in_optimizer(p)]
    if missing and any(stale(process, optimizer) for optimizer in process.facts("optimizer")):
        return None  # they stand where others stood when the optimizer was built: optimizer-stale-params
    if not missing or not _trains(process, module, held):
        return None
    optimizer = _optimizer_beside(process, held)
    severity = Severity.ADVICE if module.get("loaded") else Severity.ERROR  # loaded weights may be meant to stay as they are
    where = place_of(optimizer) if optimizer is not None else None
    return Finding(
        rule=RULE.id,
        severity=severity,
        message="part" if held else "whole",
        values={
            "module": str(module.get("cls") or "the module"),
            "names": tensors.module_names(missing),
            "missing": len(missing),
            "tensors": len(params),
            "share": tensors.numel(missing) / max(1, tensors.numel(params)),
            "numel": tensors.numel(missing),
            "optimizer": str(optimizer.get("cls")) if optimizer is not None else "optimizer",
        },
        place=where,
        related=related(site_place(module.get("call_site")), place_of(module)),
        why="stay",
        fix="pass",
        explains=EXPLAINS,
        confidence=1.0 if held else 0.9,
    )


def _in_eval_mode(param: Fact) -> bool:
    """Whether the module that owns the parameter stood in eval mode whenever it ran: a judge inside a loss, not a learner."""
    return bool(param.get("used")) and int(param.get("used_eval") or 0) >= int(param["used"])


def _trains(process: Process, module: Fact, held: Sequence[Fact]) -> bool:
    """Whether the module is meant to learn, and not a fixed network through which gradients flow to something else."""
    if held:
        return bool(module.get("train_grad_calls", module.get("train_calls")))
    # None of its parameters is in an optimizer: a perceptual loss, style transfer or the optimisation of an input looks so. Such a
    # network has loaded weights or stands in eval mode, or the optimizers hold no module's parameters at all.
    if module.get("loaded") or not module.get("train_grad_calls", module.get("train_calls")):
        return False
    return any(tensors.in_optimizer(p) and p.get("is_parameter") and p.get("root") is not None for p in tensors.parameters(process))


def _optimizer_beside(process: Process, held: Sequence[Fact]) -> Fact | None:
    """The optimizer that holds the rest of the module, or the largest."""
    keys = [p.get("optimizer") for p in held]
    return tensors.optimizer_line(process, max(set(keys), key=keys.count) if keys else None)


RULE = Rule(
    id="optimizer-missing-params",
    title="Parameters get gradients but are in no optimizer",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "param", "module"}),
    examine=examine,
)
