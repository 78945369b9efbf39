"""Promise 1: watching changes no bit of a training, and the script prints the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from e2e.client import Server

from doctorch.records.reader import Run

TRAININGS = Path(__file__).parent / "trainings"
NAMES = ["mlp", "cnn", "lstm", "transformer", "gan", "autocast", "custom"]


@pytest.mark.parametrize("name", NAMES)
def test_bit_for_bit(server: Server, name: str) -> None:
    script = TRAININGS / f"{name}.py"
    plain = server.run(script, observe=False)
    again = server.run(script, observe=False)
    watched = server.run(script)
    assert plain.code == 0, plain.said
    assert again.stdout == plain.stdout, "two plain runs differ, so nothing can be said"
    assert watched.stdout.decode() == plain.stdout.decode()
    assert (watched.code, watched.stderr) == (plain.code, plain.stderr), watched.said
    assert watched.record is not None
    run = Run(watched.record)
    assert run.main is not None
    assert run.main.n_steps >= 10
    assert run.main.meta["deep_segments"] >= 2, "no step was looked at closely, so nothing was tried"
    assert run.main.meta["failures"] == []
    run.close()


@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_bit_for_bit_from_a_cold_start(tmp_path: Path, name: str) -> None:
    script = str(TRAININGS / f"{name}.py")
    plain = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, check=False)
    watched = subprocess.run([sys.executable, "-m", "doctorch", "run", script], cwd=tmp_path, capture_output=True, check=False)
    assert plain.returncode == 0, plain.stderr.decode()
    assert watched.stdout.decode() == plain.stdout.decode()
    assert watched.returncode == 0
    assert watched.stderr.startswith(plain.stderr)


@pytest.mark.parametrize("workers", ["0", "1"])
def test_bit_for_bit_with_experiments(server: Server, workers: str) -> None:
    script = TRAININGS / "stuck.py"
    plain = server.run(script, workers, observe=False)
    watched = server.run(script, workers)
    assert plain.code == 0, plain.said
    assert watched.stdout.decode() == plain.stdout.decode()
    assert (watched.code, watched.stderr) == (plain.code, plain.stderr), watched.said
    assert {path.name for path in watched.folder.iterdir()} == {path.name for path in plain.folder.iterdir()}
    assert (watched.folder / "log.txt").read_text() == (plain.folder / "log.txt").read_text()
    assert watched.record is not None
    run = Run(watched.record)
    assert run.main is not None
    assert run.main.meta["failures"] == []
    made = {fact.key for fact in run.main.facts("probe") if fact.get("made")}
    assert made >= {"rate-ladder", "one-batch", "rescaled", "label-signal", "sample-dependence"}
    arms = next(fact for fact in run.main.facts("probe") if fact.key == "one-batch")["arms"]
    assert {name: arm["failure"] for name, arm in arms.items()} == dict.fromkeys(arms)
    assert len(run.processes) == 1 + int(workers) * 7, "a copy left a record of its own"
    run.close()
