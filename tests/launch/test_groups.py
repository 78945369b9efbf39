"""Several parents that watch one training: they share a folder and speak once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from launchbench import Bench

from doctorch.launch.files import write_json
from doctorch.launch.group import Group, Meeting, find_group, host_identity

MEASURED = True
TORCHRUN = {
    "RANK": "1",
    "WORLD_SIZE": "4",
    "LOCAL_WORLD_SIZE": "4",
    "MASTER_ADDR": "here",
    "MASTER_PORT": "1",
    "TORCHELASTIC_RUN_ID": "none",
}
SRUN = {"SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "3", "SLURM_STEP_ID": "0", "SLURM_JOB_ID": "17"}


def test_who_is_in_a_group() -> None:
    torchrun = find_group(TORCHRUN)
    assert torchrun is not None
    assert (torchrun.rank, torchrun.size, torchrun.launcher, torchrun.is_first) == (1, 4, "torchrun", False)
    srun = find_group(SRUN)
    assert srun is not None
    assert (srun.rank, srun.size, srun.launcher) == (2, 3, "srun")
    mpirun = find_group({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"})
    assert mpirun is not None
    assert mpirun.is_first


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"RANK": "0", "WORLD_SIZE": "1"},
        {"RANK": "0"},
        {"RANK": "5", "WORLD_SIZE": "2"},
        {"RANK": "-1", "WORLD_SIZE": "2"},
        {"RANK": "", "WORLD_SIZE": "two"},
        {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_JOB_ID": "17"},  # a batch script outside srun
    ],
)
def test_who_is_not(environ: dict[str, str]) -> None:
    assert find_group(environ) is None


def test_the_key_is_shared_by_the_ranks_of_one_launch_only() -> None:
    def key(**changes: str) -> str:
        group = find_group(TORCHRUN | changes)
        assert group is not None
        return group.key

    assert key() == key(RANK="3", LOCAL_RANK="3")
    assert (
        len({key(), key(MASTER_PORT="2"), key(TORCHELASTIC_RESTART_COUNT="1"), key(TORCHELASTIC_RUN_ID="x"), key(LOCAL_WORLD_SIZE="2")})
        == 5
    )


class Clock:
    """Time that passes when somebody waits for it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


def meeting(folder: Path, rank: int = 0, size: int = 3) -> Meeting:
    return Meeting(folder, Group(rank, size, "torchrun", "key"))


def test_the_first_waits_for_all(tmp_path: Path) -> None:
    clock = Clock()
    for rank in range(3):
        meeting(tmp_path, rank).arrive(child=1)
        meeting(tmp_path, rank).leave({"exit_code": rank})
    assert meeting(tmp_path).wait_for_others(False, clock.pause, clock) == []
    assert clock.now == 0
    assert [outcome["exit_code"] for outcome in meeting(tmp_path).outcomes()] == [0, 1, 2]


def test_the_first_waits_for_a_bounded_time(tmp_path: Path) -> None:
    meeting(tmp_path, 1).leave({"exit_code": 0})
    times = []
    for failed in (False, True):
        clock = Clock()
        assert meeting(tmp_path).wait_for_others(failed, clock.pause, clock) == [2]
        times.append(clock.now)
    assert 5 <= times[0] <= 11
    assert 1 <= times[1] <= 4


def test_the_first_does_not_wait_for_the_dead(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    for rank in (1, 2):
        write_json(tmp_path / f"rank-{rank}.here", {"rank": rank, "pid": gone.pid, "host": host_identity()})
    clock = Clock()
    assert meeting(tmp_path).wait_for_others(False, clock.pause, clock) == [1, 2]
    assert clock.now == 0


def launch(bench: Bench, script: str, *options: str, size: int = 2) -> list[tuple[int, bytes, bytes]]:
    """Start ``size`` parents as torchrun does, and return how each ended."""
    words = [*bench.start(), "run", *options, bench.script(script)]
    shared = TORCHRUN | {"WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size)}
    processes = [
        subprocess.Popen(
            words, cwd=bench.folder, env=os.environ | shared | {"RANK": str(rank)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for rank in range(size)
    ]
    ended = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        ended.append((process.returncode, out, err))
    return ended


def test_one_folder_one_report_one_answer(bench: Bench) -> None:
    ended = launch(bench, "import os; print(os.environ['RANK'])", "--json", "out.json", size=3)
    assert [(code, out) for code, out, _ in ended] == [(0, b"0\n"), (0, b"1\n"), (0, b"2\n")]
    assert b"doctorch" in ended[0][2]
    assert [err for _, _, err in ended[1:]] == [b"", b""]
    assert [outcome["rank"] for outcome in bench.manifest["ranks"]] == [0, 1, 2]
    assert bench.json()["findings"] == []


def test_the_exit_code_is_each_ranks_own(bench: Bench) -> None:
    ended = launch(bench, "import os, sys; sys.exit(int(os.environ['RANK']) * 3)", "-q", "--json", "out.json")
    assert [code for code, _, _ in ended] == [0, 3]
    assert [outcome["exit_code"] for outcome in bench.manifest["ranks"]] == [0, 3]
    assert bench.json()["findings"] == []


def test_a_second_launch_gets_a_folder_of_its_own(bench: Bench) -> None:
    launch(bench, "pass", "-q")
    launch(bench, "pass", "-q")
    assert len(bench.records) == 2


@pytest.mark.parametrize("times", [1, 2])
def test_a_given_folder_is_shared(bench: Bench, times: int) -> None:
    for _ in range(times):
        ended = launch(bench, "pass", "-q", "--record", "rec")
        assert [code for code, _, _ in ended] == [0, 0]
    assert {path.name for path in (bench.folder / "rec").iterdir()} >= {"manifest.json", "rank-0.done", "rank-1.done"}


def test_torchrun_with_a_rank_that_fails(bench: Bench) -> None:
    """torchrun ends the other rank with SIGTERM; the first still prints and writes, once."""
    script = "\n".join(
        [
            "import os, signal, sys",
            "if os.environ['RANK'] == '1':",
            "    while not os.path.exists('first'): pass",
            "    sys.exit(1)",
            "open('first', 'w').close()",
            "signal.pause()",
        ]
    )
    name = bench.script(script)
    done = bench.command(
        [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "doctorch", "run", "--json", "out.json", name],
    )
    assert done.code == 1
    assert done.stderr.count(b"doctorch \xe2\x94\x80") == 1
    assert bench.json()["run"]["signal"] == signal.SIGTERM
    assert [(outcome["exit_code"], outcome["signal_name"]) for outcome in bench.manifest["ranks"]] == [(None, "SIGTERM"), (1, None)]
