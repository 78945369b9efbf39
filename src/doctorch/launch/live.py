"""The status line of ``--live``."""

from __future__ import annotations

from pathlib import Path

from doctorch.records.reader import RecordError, Run

RECENT = 20
"""Steps whose mean time is shown."""


def status_line(folder: Path) -> str | None:
    """The newest steps of the lowest rank in one line of at most 79 characters, or None while there is no step."""
    try:
        run = Run(folder)
    except RecordError:
        return None
    try:
        process = run.main
        if process is None or not process.n_steps:
            return None
        steps = process.steps
        recent = range(max(0, len(steps) - RECENT), len(steps))
        if not recent:
            return None
        duration = sum(steps["duration_ms"][i] for i in recent) / len(recent)
        wait = sum(steps["wait_ms"][i] for i in recent) / len(recent)
        losses = steps.losses()
        parts = [f"step {process.n_steps}"]
        if losses:
            parts.append(f"loss {losses[-1][1]:.4g}")
        parts.append(f"{duration:.3g} ms a step")
        if duration > 0:
            parts.append(f"{100 * wait / duration:.0f} % waiting for data")
        return ("doctorch: " + ", ".join(parts))[:79]
    except RecordError:
        return None
    finally:
        run.close()
