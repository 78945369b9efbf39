"""weights-not-loaded: load_state_dict matched little or nothing, and said so to nobody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of

MATCHED = 0.5
"""Share of the given keys that must have matched, and of the module's weights that some load must have filled. A body that is loaded
under a new head matches all but a few; a checkpoint of a larger model fills all of the smaller one."""
EXPLAINS = ("loss-plateau", "frozen-by-mistake")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for load in process.facts("load"):
            if (finding := _of(load)) is not None:
                yield finding


def _of(load: Fact) -> Finding | None:
    given, unexpected, own, numel, covered = (int(load.get(name) or 0) for name in ("given", "unexpected", "own", "numel", "covered"))
    if not given or not numel:
        return None
    nothing_new = own >= given
    if not nothing_new and (given - unexpected >= MATCHED * given or covered >= MATCHED * numel or load.get("strict")):
        return None
    missing, extra = (list(load.get(name) or ()) for name in ("missing_names", "unexpected_names"))
    prefix = _prefix(missing, extra)
    values: dict[str, Value] = {
        "module": str(load.get("cls") or "the module"),
        "given": given,
        "matched": given - unexpected,
        "params": int(load.get("params") or 0),
        "unfilled": int(load.get("params_missing") or 0),
        "share": 1 - covered / numel,
        "missing": missing[0] if missing else "",
        "unexpected": extra[0] if extra else "",
        "prefix": prefix or "",
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="own" if nothing_new else "little" if given > unexpected else "nothing",
        values=values,
        place=place_of(load),
        why="own-why" if nothing_new else "prefix" if prefix else "names",
        fix="copy" if nothing_new else "strip" if prefix else "strict",
        explains=EXPLAINS,
        confidence=0.9 if nothing_new else 1.0,
        certain_now=False,
    )


def _prefix(missing: Sequence[str], unexpected: Sequence[str]) -> str | None:
    """What stands before every name on one side: ``module.`` of a DataParallel checkpoint."""
    for one in missing:
        for other in unexpected:
            longer, shorter = (other, one) if len(other) > len(one) else (one, other)
            if longer != shorter and longer.endswith("." + shorter):
                return longer[: -len(shorter)]
    return None


RULE = Rule(
    id="weights-not-loaded",
    title="Hardly any weights were loaded",
    severity=Severity.WARNING,
    needs=frozenset({"load"}),
    examine=examine,
)
