"""The diagnosis as JSON (docs/json.md)."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from doctorch import __version__
from doctorch.analysis.summary import RunFacts
from doctorch.diagnose import Diagnosed, Diagnosis
from doctorch.findings import Edit, Place
from doctorch.report.messages import sentences, untied
from doctorch.report.paths import shown_path
from doctorch.source import edits
from doctorch.source.project import Project

SCHEMA = 1


def empty() -> dict[str, Any]:
    """The object of a command that looked and knows nothing to say."""
    return {
        "schema": SCHEMA,
        "doctorch": __version__,
        "findings": [],
        "examined": [],
        "not_examined": [],
        "failures": [],
        "ignored": 0,
        "hidden_advice": 0,
        "problems": [],
        "run": None,
    }


def as_object(diagnosis: Diagnosis, *, cwd: str | None = None) -> dict[str, Any]:
    """The diagnosis as an object of plain JSON types; no value is NaN or infinite (such become null)."""
    base = Path(cwd or os.getcwd())
    made = empty() | {
        "findings": [_finding(found, diagnosis.project, base) for found in diagnosis.findings],
        "examined": list(diagnosis.examined),
        "not_examined": [{"rule": skipped.rule, "missing": list(skipped.missing)} for skipped in diagnosis.not_examined],
        "failures": [{"rule": failure.rule, "text": failure.text} for failure in diagnosis.failures],
        "ignored": diagnosis.ignored,
        "hidden_advice": diagnosis.hidden_advice,
        "problems": list(diagnosis.problems),
        "run": _run(diagnosis.run, base) if diagnosis.run else None,
    }
    return {key: _finite(value) for key, value in made.items()}


def dumps(diagnosis: Diagnosis, *, cwd: str | None = None) -> str:
    """The diagnosis as JSON text that ends in a newline."""
    return json.dumps(as_object(diagnosis, cwd=cwd), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finding(found: Diagnosed, project: Project, base: Path) -> dict[str, Any]:
    finding = found.finding
    words = sentences(finding, project)
    return {
        "id": found.id,
        "fingerprint": found.fingerprint,
        "rule": finding.rule,
        "severity": finding.severity.label,
        **_place(finding.place, base),
        "source": found.source_line,
        "message": untied(words.message),
        "why": untied(words.why) if words.why is not None else None,
        "proof": untied(words.proof) if words.proof is not None else None,
        "fix": untied(words.fix) if words.fix is not None else None,
        "message_id": finding.message,
        "values": dict(finding.values),
        "explained_by": found.explained_by,
        "confidence": finding.confidence,
        "ground": finding.ground,
        "also": [_place(place, base) for place in found.also],
        "related": [_place(place, base) for place in finding.related],
        "edit": _edit(found.edit, project, base) if found.edit else None,
    }


def _place(place: Place | None, base: Path) -> dict[str, Any]:
    return {"file": shown_path(place.file, base) if place else None, "line": place.line if place else None}


def _edit(edit: Edit, project: Project, base: Path) -> dict[str, Any]:
    file, name = project.file(edit.file), shown_path(edit.file, base)
    return {
        "file": name,
        "digest": edit.digest,
        "safe": edit.safe,
        "summary": edit.summary,
        "diff": edits.diff(edit, file.original, name) if file is not None else None,
    }


def _run(run: RunFacts, base: Path) -> dict[str, Any]:
    account = run.account
    step = None
    if account is not None:
        step = {
            "median_ms": account.step_ms,
            "wait_ms": account.wait_ms,
            "forward_ms": account.forward_ms,
            "backward_ms": account.backward_ms,
            "optimizer_ms": account.optimizer_ms,
            "other_ms": account.other_ms,
            "wait_share": account.wait_share,
            "measured_steps": account.measured,
        }
    exception = None
    if run.exception is not None:
        exception = {
            "type": run.exception.get("type"),
            "message": run.exception.get("message"),
            "file": shown_path(run.exception.file, base) if run.exception.file else None,
            "line": run.exception.line,
        }
    return {
        "record": shown_path(run.folder, base),
        "command": list(run.command),
        "steps": run.steps,
        "processes": run.processes,
        "workers": run.workers,
        "seconds": run.seconds,
        "step": step,
        "loss_first": run.loss_first,
        "loss_last": run.loss_last,
        "watch_share": run.watch_share,
        "watch_seconds": run.watch_seconds,
        "probes": list(run.probes),
        "probe_seconds": run.probe_seconds,
        "probes_not_made": list(run.probes_not_made),
        "exit_code": run.exit_code,
        "signal": run.signal,
        "oom_killed": run.oom_killed,
        "exception": exception,
        "environment": run.environment,
        "notes": list(run.notes),
        "failures": list(run.failures),
        "damaged": list(run.damaged),
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
