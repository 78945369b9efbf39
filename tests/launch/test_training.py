"""The parent and a real training: what is told while it runs, and processes that a training starts."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import pytest
from launchbench import Bench

from doctorch import demos
from doctorch.launch.folder import newest_folder
from doctorch.launch.live import status_line

MEASURED = True
ONE_THREAD: dict[str, str | None] = {"OMP_NUM_THREADS": "1"}

TRAINING = """
import sys
import torch
from torch import nn
net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
x, y = torch.randn(16, 8), torch.randint(4, (16,))
for step in range(int(sys.argv[1])):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained")
"""
ENDLESS = str(10**9)


def test_an_error_is_told_while_the_training_runs_and_stops_it(bench: Bench) -> None:
    name = bench.script(TRAINING.replace("    optimizer.zero_grad()\n", ""))
    done = bench.watched("--stop-on", "error", "--json", "out.json", name, ENDLESS, env=ONE_THREAD)
    assert (done.code, done.stdout) == (-signal.SIGINT, b"")
    # Told once at once, before the script's own traceback, and again in the diagnosis.
    before, _, after = done.stderr.partition(b"Traceback")
    assert before.count(b"doctorch: error missing-zero-grad train.py:10: ") == 1
    assert b"missing-zero-grad" in after
    assert bench.json()["findings"][0]["rule"] == "missing-zero-grad"
    assert bench.manifest["stopped"] == "--stop-on: missing-zero-grad"


def test_steps_end_the_training_cleanly(bench: Bench) -> None:
    done = bench.watched("--steps", "20", "--json", "out.json", "--fail-on", "warning", bench.script(TRAINING), ENDLESS, env=ONE_THREAD)
    assert (done.code, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr
    assert bench.json()["run"]["steps"] == 20


def test_a_finding_makes_a_good_exit_a_bad_one_when_asked(bench: Bench) -> None:
    name = bench.script(TRAINING.replace("    optimizer.zero_grad()\n", ""))
    done = bench.watched("-q", "--fail-on", "error", name, "60", env=ONE_THREAD)
    assert (done.code, done.stdout, done.stderr) == (3, b"trained\n", b"")
    again = bench.doctorch("diagnose", "--fail-on", "error", "--json", "again.json")
    assert again.code == 3
    assert b"missing-zero-grad" in again.stdout
    assert bench.json("again.json")["findings"][0]["rule"] == "missing-zero-grad"
    assert bench.doctorch("diagnose", "-q", str(bench.records[0])).code == 0


def test_the_status_line(bench: Bench) -> None:
    done = bench.watched("--live", "-q", bench.script(TRAINING), "400", env=ONE_THREAD)
    assert (done.code, done.stdout) == (0, b"trained\n")
    record = newest_folder(bench.folder)
    assert record is not None
    line = status_line(record)
    assert line is not None
    assert line.startswith("doctorch: step 400, loss ")
    assert len(line) < 80
    assert status_line(bench.folder) is None


def processes(record: Path) -> int:
    """How many processes of a run recorded something."""
    files = list(record.glob("process-*.sqlite"))
    for file in files:
        connection = sqlite3.connect(file)
        assert connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone() is not None
        connection.close()
    return len(files)


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_processes_of_torch_multiprocessing_share_the_record(bench: Bench, start: str) -> None:
    (bench.folder / "work.py").write_text(f"def work(rank):\n  exec({TRAINING!r}, {{}})\n", encoding="utf-8")
    script = (
        "import sys, work\nif __name__ == '__main__':\n"
        "  import torch.multiprocessing as m\n  m.start_processes(work.work, nprocs=2, start_method=sys.argv[2])\n"
    )
    done = bench.watched("-q", bench.script(script), "20", start, env=ONE_THREAD)
    assert (done.code, done.stdout, done.stderr) == (0, b"trained\n" * 2, b"")
    (record,) = bench.records
    assert processes(record) >= 2


def test_the_demonstration(bench: Bench) -> None:
    done = bench.doctorch("demo", env=ONE_THREAD)
    assert done.code == 0
    assert b"0.693" in done.stdout
    for name in demos.STORIES:
        assert f"$ doctorch run {name}".encode() in done.stdout
    assert done.stderr.count(b"doctorch \xe2\x94\x80") == len(demos.STORIES)
    for rule in (b"ERROR  zero-grad-before-step", b"ERROR  embedding-too-small", b"WARN   slow-getitem"):
        assert rule in done.stderr
    assert not bench.records
