"""What a run was, in numbers: for the last line of the report and for the JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from doctorch.analysis.losses import losses
from doctorch.analysis.steps import StepAccount, step_account
from doctorch.records.reader import Fact, Run


@dataclass(frozen=True)
class RunFacts:
    """The run in short."""

    folder: str
    command: tuple[str, ...]
    cwd: str | None
    script: str | None
    steps: int
    processes: int
    """Training processes."""
    workers: int
    """Loader worker processes that were observed."""
    seconds: float | None
    account: StepAccount | None
    loss_first: float | None
    loss_last: float | None
    watch_share: float | None
    """Time spent watching over the time of the loop, 0 to 1."""
    watch_seconds: float | None
    probes: tuple[str, ...]
    """Experiments that were made on copies of the training."""
    probe_seconds: float
    """Time that the training waited for them."""
    probes_not_made: tuple[str, ...]
    """Why experiments that were called for were not made."""
    exit_code: int | None
    signal: int | None
    """Number of the signal that ended the script."""
    oom_killed: bool
    exception: Fact | None
    stall: Fact | None
    torch_imported: bool
    environment: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def summarise(run: Run) -> RunFacts:
    """The facts of a run; None stands for what is not known."""
    manifest, main = run.manifest, run.main
    meta: dict[str, Any] = main.meta if main else {}
    values = losses(main) if main and main.n_steps else []
    watch, loop = meta.get("watch_ns"), meta.get("loop_ns")
    exceptions = main.facts("exception") if main else []
    stalls = main.facts("stall") if main else []
    tried = main.facts("probe") if main else []
    return RunFacts(
        folder=str(run.folder),
        command=tuple(str(word) for word in manifest.get("command") or meta.get("argv") or ()),
        cwd=manifest.get("cwd") or meta.get("cwd"),
        script=manifest.get("script"),
        steps=sum(p.n_steps for p in run.training[:1]),
        processes=len(run.training),
        workers=sum(p.role == "loader-worker" for p in run.processes),
        seconds=_seconds(manifest, meta),
        account=step_account(main) if main else None,
        loss_first=values[0] if values else None,
        loss_last=values[-1] if values else None,
        watch_share=watch / loop if watch is not None and loop else None,
        watch_seconds=watch / 1e9 if watch is not None else None,
        probes=tuple(fact.key for fact in tried if fact.get("made")),
        probe_seconds=sum(float(fact.get("seconds") or 0.0) for fact in tried),
        probes_not_made=tuple(dict.fromkeys(str(fact.get("why_not")) for fact in tried if not fact.get("made"))),
        exit_code=_integer(manifest.get("exit_code")),
        signal=_integer(manifest.get("signal")),
        oom_killed=bool(manifest.get("oom_killed")),
        exception=exceptions[-1] if exceptions else None,
        stall=stalls[-1] if stalls else None,
        torch_imported=bool(run.processes),
        environment={key: meta[key] for key in ("python", "torch", "numpy", "platform", "cpus", "device") if meta.get(key) is not None},
        notes=tuple(dict.fromkeys(str(note) for p in run.processes for note in p.meta.get("notes") or ())),
        failures=tuple(str(text) for p in run.processes for text in p.meta.get("failures") or ()),
        damaged=tuple(run.damaged),
    )


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _seconds(manifest: dict[str, Any], meta: dict[str, Any]) -> float | None:
    """Wall time of the run."""
    if isinstance(manifest.get("seconds"), int | float):
        return float(manifest["seconds"])
    start = manifest.get("started") or meta.get("started")
    end = manifest.get("ended") or (meta.get("ended") or {}).get("at") or meta.get("heartbeat")
    if isinstance(start, int | float) and isinstance(end, int | float) and math.isfinite(end - start) and end >= start:
        return float(end - start)
    return None
