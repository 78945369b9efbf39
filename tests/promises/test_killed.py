"""A run that is killed without warning still has everything up to its last second."""

from __future__ import annotations

import math
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from doctorch.diagnose import diagnose
from doctorch.records.reader import Run

SCRIPTS = Path(__file__).parent / "scripts"
IN_FLIGHT_S = 1.0


def test_a_record_is_complete_up_to_the_last_second(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doctorch", "run", str(SCRIPTS / "killed.py")], cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    *lines, last = [line.split() for line in done.stdout.splitlines()]
    assert last[0] == "killed"
    must_be_there = sum(float(at) <= float(last[1]) - IN_FLIGHT_S for _, at in lines)
    assert must_be_there > 100, "too few steps to judge by"

    (record,) = (folder for folder in (tmp_path / ".doctorch").iterdir() if folder.is_dir())
    run = Run(record)
    assert run.damaged == []
    assert run.manifest["signal"] == signal.SIGKILL
    (process,) = run.training
    assert must_be_there <= process.n_steps <= len(lines) + 1
    assert process.meta["ended"] is None
    steps = process.steps
    assert process.n_steps - 1 <= steps.count <= process.n_steps, "the newest row may still be in hand"
    assert steps.count >= must_be_there
    assert not any(math.isnan(value) for value in steps["loss"])
    (optimizer,) = process.facts("optimizer")
    assert must_be_there <= optimizer["steps"] <= len(lines) + 1
    (loss,) = process.facts("loss_call")
    assert (loss["function"], loss["n_classes"]) == ("cross_entropy", 2)
    assert run.source(str(SCRIPTS / "killed.py")) == (SCRIPTS / "killed.py").read_text(encoding="utf-8")
    with sqlite3.connect(process.path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert diagnose(run).failures == ()
    run.close()
