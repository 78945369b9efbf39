"""eval-mode-in-training: the model stands in eval mode while it trains."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import related, site_place

MIN_CALLS = 5
MOST = 0.9
"""Share of the training calls followed since the first one in eval mode."""
EXPLAINS = ("overfitting", "loss-plateau", "batchnorm-eval-mismatch", "saturated-activations")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for mode in process.facts("mode"):
            calls, wrong = int(mode.get("stepping") or 0), int(mode.get("stepping_eval") or 0)
            if wrong >= MIN_CALLS and wrong >= MOST * int(mode.get("stepping_since") or 0) and mode.get("last_eval"):
                yield _finding(process, mode, calls, wrong)


def _finding(process: Process, mode: Fact, calls: int, wrong: int) -> Finding:
    module = process.fact("module", mode.key)
    kinds = mode.get("kinds") or {}
    switched = site_place(mode.get("eval_site"))
    called = site_place(module.get("call_site")) if module is not None else None
    loaded = module is not None and bool(module.get("loaded") or module.get("pretrained"))
    since = int(mode.get("first_eval_step") or 0)
    values: dict[str, Value] = {
        "wrong": wrong,
        "calls": calls,
        "step": since,
        "modules": ", ".join(f"{number} {name}" for name, number in sorted(kinds.items())),
        "line": switched.line if switched else 0,
    }
    # Statistics of a loaded network are sometimes kept on purpose; its dropout is not.
    on_purpose = loaded and not mode.get("dropouts")
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE if on_purpose else Severity.ERROR,
        message=("since" if since else "always") if switched else "never-trained",
        values=values,
        place=switched or called,
        related=related(called, site_place(mode.get("pass_site"))),
        why="frozen",
        fix="train",
        explains=EXPLAINS,
        confidence=0.95,
        certain_now=wrong >= 20 and not on_purpose,
    )


RULE = Rule(
    id="eval-mode-in-training",
    title="The model trains in eval mode",
    severity=Severity.ERROR,
    needs=frozenset({"mode"}),
    examine=examine,
)
