"""The sentences after the findings: how the run ended, what was examined, what was watched and what watching cost."""

from __future__ import annotations

import signal
from collections import defaultdict
from pathlib import Path

from doctorch.analysis.summary import RunFacts
from doctorch.diagnose import Diagnosis
from doctorch.report.messages import TIED, percent
from doctorch.report.paths import shown_path

KINDS = {
    "optimizer": "no optimizer was seen",
    "backward": "no backward was seen",
    "module": "no module was called",
    "param": "no parameters were seen",
    "loss_call": "no loss function was called",
    "loader": "no DataLoader was used",
    "loader_line": "no DataLoader took long",
    "segment": "no step was looked at operator by operator",
    "evaluation": "no evaluation was seen",
    "evaluated_rows": "no evaluation was seen",
    "mode": "no model was called",
    "turn": "no turn of the loop was followed",
    "update": "the size of no step was read",
    "probe": "no experiment was made",
    "line_ops": "no step was looked at operator by operator",
}
"""What the absence of a kind of fact means, in words."""
MAX_MESSAGE = 120
"""Characters shown of the message of the exception that ended the script; it stands in full above the report."""
NAMED_RULES = 2
"""So many rules are named that were not examined for one reason; of more only the number is said (the JSON names all)."""


def sentences(diagnosis: Diagnosis, cwd: Path) -> list[str]:
    """All closing sentences, in order."""
    lines = list(_end(diagnosis.run, diagnosis.unparsed)) if diagnosis.run else []
    if not diagnosis.findings:
        lines.append(_nothing(diagnosis))
    lines.extend(_not_examined(diagnosis))
    if diagnosis.hidden_advice:
        lines.append(f"{_plural(diagnosis.hidden_advice, 'more piece')} of advice not shown.")
    if diagnosis.ignored:
        lines.append(f"{_plural(diagnosis.ignored, 'finding')} ignored by a comment or by pyproject.toml.")
    lines.extend(diagnosis.problems)
    lines.extend(_own_failures(diagnosis))
    if diagnosis.run:
        lines.extend(_experiments(diagnosis.run))
        lines.extend(f"Damaged: {text}" for text in diagnosis.run.damaged)
        lines.append(_watched(diagnosis.run, cwd))
    return lines


def _nothing(diagnosis: Diagnosis) -> str:
    rules = _plural(len(diagnosis.examined), "rule")
    run = diagnosis.run
    if run is None:
        return f"Nothing wrong found: {rules} over {_plural(diagnosis.files, 'file')}. What only a run shows was not examined."
    if run.exception is not None or run.signal:
        return f"None of the {rules} examined accounts for that."
    if not run.steps:
        return f"No fault was found in what was seen: {rules}, but no training step to apply them to."
    return f"Nothing wrong found: {rules} over {_plural(run.steps, 'step')}."


def _end(run: RunFacts, unparsed: str | None) -> list[str]:
    """How the script ended, where that is worth saying."""
    lines: list[str] = []
    if run.oom_killed:
        lines.append(f"The script was killed (SIGKILL) by the kernel's out-of-memory killer after {_plural(run.steps, 'step')}.")
    elif run.signal:
        lines.append(f"The script was ended by {_signal_name(run.signal)} after {_plural(run.steps, 'step')}.")
    if run.exception is not None:
        where = ""
        if run.exception.file and run.exception.line:
            where = f" at {Path(run.exception.file).name}:{run.exception.line}"
        message = str(run.exception.get("message") or "").strip().split("\n")[0]
        message = message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"
        lines.append(f"The script ended with {run.exception.get('type')}{where}: {message}".rstrip(": "))
    if not run.torch_imported:
        lines.append("The script ended before it imported torch, so there was nothing to watch" + (f": {unparsed}" if unparsed else "."))
    elif not run.processes and run.exception is None:
        lines.append("The script imported torch, but no backward and no optimizer step was seen, so there was no training to watch.")
    if run.stall is not None and (run.signal or run.exception is not None):
        place = f"{Path(run.stall.file).name}:{run.stall.line}" if run.stall.file and run.stall.line else "outside the user's files"
        inner = run.stall.get("inner") or {}
        function = f", in {inner.get('function')}" if inner.get("function") else ""
        lines.append(f"Before its end nothing had happened for {float(run.stall.get('seconds') or 0):.0f} s: it hung at {place}{function}.")
    return lines


def _not_examined(diagnosis: Diagnosis) -> list[str]:
    if diagnosis.run is not None and not diagnosis.run.processes:
        return []  # said by _end already
    by_reason: dict[str, list[str]] = defaultdict(list)
    for skipped in diagnosis.not_examined:
        reason = next((KINDS[kind] for kind in skipped.missing if kind in KINDS), f"the record has no {', '.join(skipped.missing)}")
        by_reason[reason].append(skipped.rule)
    parts = [
        f"{', '.join(rules) if len(rules) <= NAMED_RULES else _plural(len(rules), 'rule')} ({reason})"
        for reason, rules in by_reason.items()
    ]
    lines = [f"Not examined: {'; '.join(parts)}."] if parts else []
    if diagnosis.run is not None and diagnosis.run.notes:
        lines.append("Left out while watching: " + "; ".join(diagnosis.run.notes) + ".")
    return lines


def _own_failures(diagnosis: Diagnosis) -> list[str]:
    rules = list(dict.fromkeys(failure.rule for failure in diagnosis.failures))
    lines = [f"A fault of doctorch's own: {', '.join(rules)} failed and was left out. Please report it."] if rules else []
    if diagnosis.run is not None and diagnosis.run.failures:
        last = diagnosis.run.failures[0].strip().split("\n")[-1]
        lines.append(f"A fault of doctorch's own while watching ({last}); the training was not touched. Please report it.")
    return lines


def _watched(run: RunFacts, cwd: Path) -> str:
    parts = [_plural(run.steps, "step")]
    if run.processes:
        parts.append(_plural(run.processes, "process", "processes"))
    if run.seconds is not None:
        parts.append(f"{run.seconds:.1f} s")
    cost = f"; watching cost {percent(run.watch_share)}" if run.watch_share is not None and run.steps else ""
    return f"Watched {', '.join(parts)}{cost}. Record: {shown_path(run.folder, cwd)}"


def _experiments(run: RunFacts) -> list[str]:
    """What was tried on copies of the training, and what it cost; or why nothing could be tried."""
    lines = []
    if run.probes:
        made = f"{_plural(len(run.probes), 'experiment')} on copies of the training ({', '.join(run.probes)})"
        lines.append(f"{made}: it waited {run.probe_seconds:.1f}{TIED}s for them, in no other figure; --no-probes leaves them out.")
    lines.extend(f"An experiment on a copy of the training was not made: {reason}." for reason in run.probes_not_made)
    return lines


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a number that this system does not know
        return f"signal {number}"


def _plural(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,}{TIED}{one if n == 1 else many or one + 's'}"
