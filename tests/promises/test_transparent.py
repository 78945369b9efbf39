"""Promise 4: exit code, standard output and standard error of scripts that look at themselves are as without doctorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from e2e.client import Server

from doctorch.records.reader import Run

SCRIPTS = Path(__file__).parent / "scripts"
IN_ONE_PROCESS = [
    "hooks",
    "exception_hook",
    "traceback_chain",
    "warnings_seen",
    "signals_and_timers",
    "threads",
    "tables",
    "signatures",
    "copies",
    "scripted_and_compiled",
    "forks",
]


@pytest.mark.parametrize("name", IN_ONE_PROCESS)
def test_the_script_sees_and_says_the_same(server: Server, name: str) -> None:
    script = SCRIPTS / f"{name}.py"
    plain = server.run(script, observe=False)
    watched = server.run(script)
    assert watched.stdout.decode() == plain.stdout.decode()
    assert watched.stderr.decode() == plain.stderr.decode()
    assert (watched.code, watched.signal) == (plain.code, plain.signal)
    assert watched.record is not None
    run = Run(watched.record)
    assert run.main is not None
    assert all(process.meta["failures"] == [] for process in run.processes)
    assert not (watched.record / "observer-error.txt").exists()
    run.close()


def test_forks_record_for_themselves(server: Server) -> None:
    watched = server.run(SCRIPTS / "forks.py")
    assert watched.record is not None
    run = Run(watched.record)
    steps = sorted(process.n_steps for process in run.training)
    assert steps == [6, 6, 6, 6, 12], "four children of six steps, and the parent's twelve"
    run.close()


@pytest.mark.parametrize("words", [["workers.py", "fork", "spawn", "forkserver"], ["spawned.py"]], ids=["workers", "spawned"])
def test_processes_started_by_the_script(tmp_path: Path, words: list[str]) -> None:
    command = [str(SCRIPTS / words[0]), *words[1:]]
    plain = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, check=False)
    watched = subprocess.run([sys.executable, "-m", "doctorch", "run", "-q", *command], cwd=tmp_path, capture_output=True, check=False)
    assert plain.returncode == 0, plain.stderr.decode()
    assert watched.stdout.decode() == plain.stdout.decode()
    assert (watched.returncode, watched.stderr.decode()) == (plain.returncode, plain.stderr.decode())
    (record,) = (folder for folder in (tmp_path / ".doctorch").iterdir() if folder.is_dir())
    run = Run(record)
    assert run.damaged == []
    assert all(process.meta["failures"] == [] for process in run.processes)
    if words[0] == "workers.py":
        assert sum(process.role == "loader-worker" for process in run.processes) == 12, "two workers, two loaders, three ways"
        assert run.main is not None
        assert run.main.n_steps == 36
    else:
        assert sorted(process.n_steps for process in run.training) == [20, 20]
    run.close()
