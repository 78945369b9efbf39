"""missing-eval-mode: the model is evaluated in training mode."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source.project import project_of

MOST = 0.9
"""Share of the passes without gradients that must be in training mode."""
SELDOM = 0.5
"""Steps after which there were such passes, as a share of the training calls followed: a validation comes seldom; a roll-out, a pass for
the other player of a GAN or for a teacher come with every step."""
RECALIBRATION = "update_bn"
"""Running statistics are gathered in training mode on purpose (stochastic weight averaging)."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        # Two players are shown fixed noise in training mode, as in the DCGAN recipe.
        if sum(bool(fact.get("steps")) for fact in process.facts("optimizer")) == 1:
            for mode in process.facts("mode"):
                if (finding := _of(run, process, mode)) is not None:
                    yield finding
                    return
            for dropout in process.facts("functional_dropout"):
                if (finding := _functional(dropout)) is not None:
                    yield finding
                    return


def _of(run: Run, process: Process, mode: Fact) -> Finding | None:
    passes, wrong, blocks = (int(mode.get(name) or 0) for name in ("passes", "passes_train", "pass_blocks_train"))
    stepping = int(mode.get("stepping") or 0)
    if not stepping or not wrong or wrong < MOST * passes or blocks > max(1.0, SELDOM * stepping):
        return None
    place = site_place(mode.get("pass_site"))
    if place is not None and RECALIBRATION in (project_of(run).text_line(place) or ""):
        return None
    dropout, norm = bool(mode.get("pass_dropout")), bool(mode.get("pass_norm"))
    module = process.fact("module", mode.key)
    values: dict[str, Value] = {
        "wrong": wrong,
        "passes": passes,
        "modules": ", ".join(f"{number} {name}" for name, number in sorted((mode.get("kinds") or {}).items())),
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="train",
        values=values,
        place=place,
        related=related(site_place(module.get("call_site")) if module is not None else None),
        why="both" if dropout and norm else "norm" if norm else "dropout",
        fix="eval",
        confidence=0.9,
    )


def _functional(dropout: Fact) -> Finding | None:
    """A dropout called as a function: it drops unless it is told not to."""
    train, evaluated = int(dropout.get("passes_train") or 0), int(dropout.get("passes_eval") or 0)
    steps = int(dropout.get("steps") or 0)
    if not steps or not train + evaluated or int(dropout.get("blocks") or 0) > max(1.0, SELDOM * steps):
        return None
    call, passed = place_of(dropout), site_place(dropout.get("pass_site"))
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="function" if evaluated else "function-train",
        values={"wrong": evaluated or train, "p": float(dropout["p"]), "name": f"F.{dropout['function']}"},
        place=call if evaluated else passed or call,
        related=related(passed if evaluated else call),
        why="default" if evaluated else "dropout",
        fix="training" if evaluated else "eval",
        confidence=0.9,
    )


RULE = Rule(
    id="missing-eval-mode",
    title="The model is evaluated in training mode",
    severity=Severity.WARNING,
    needs=frozenset({"module"}),
    examine=examine,
)
