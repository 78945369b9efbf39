"""Several parents that watch one training: what the launchers say about them, and where they meet."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doctorch.launch.files import read_json, write_json

WAIT_S = 10.0
"""How long rank 0 waits for the others after its own child ended well: they end together, but for what the last batch takes."""
WAIT_FAILED_S = 3.0
"""The same after its own child failed: the others then hang in a collective until the launcher ends them, which it does only after us."""
POLL_S = 0.05


@dataclass(frozen=True)
class Group:
    """One parent's place among those that a launcher started."""

    rank: int
    size: int
    launcher: str
    key: str
    """The same for all parents of one launch on one file system, and for no other launch that is still running."""

    @property
    def is_first(self) -> bool:
        """Whether this parent diagnoses for all."""
        return self.rank == 0


def find_group(environ: Mapping[str, str]) -> Group | None:
    """The group that the environment tells of, or None for a single process.

    torchrun and everything built on it (``accelerate launch``, DeepSpeed) set RANK and WORLD_SIZE; srun sets SLURM_PROCID within a
    step; mpirun has variables of its own.
    """
    for launcher, rank_name, size_name, shared in _LAUNCHERS:
        rank, size = _number(environ.get(rank_name)), _number(environ.get(size_name))
        if rank is None or size is None or not 0 <= rank < size or size < 2:
            continue
        if launcher == "srun" and "SLURM_STEP_ID" not in environ:
            continue  # a batch script outside srun: one process, whatever SLURM_NTASKS says
        parts = [launcher, str(size), *(environ.get(name, "") for name in shared)]
        if launcher == "torchrun" and "TORCHELASTIC_RUN_ID" in environ and environ.get("LOCAL_WORLD_SIZE") == environ[size_name]:
            # One node: run id and port have defaults that the next launch uses too, the launcher's process is unique.
            parts.append(_identity_of(os.getppid()))
        return Group(rank, size, launcher, hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16])
    return None


_LAUNCHERS = (
    (
        "torchrun",
        "RANK",
        "WORLD_SIZE",
        ("TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT", "SLURM_JOB_ID", "SLURM_STEP_ID"),
    ),
    ("srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", ("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT")),
    ("mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", ("OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE")),
)


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def host_identity() -> str:
    """Tells machines (and boots of one machine) apart without naming them."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = f"{os.uname().nodename if hasattr(os, 'uname') else os.environ.get('COMPUTERNAME', '')}"
    return hashlib.sha256(boot.encode()).hexdigest()[:12]


def _identity_of(pid: int) -> str:
    """A process for ever: its number, when it began, and on which machine."""
    try:
        # Field 22 is the start in clock ticks since boot: unlike a wall-clock time all readers get the same number.
        start = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        import psutil

        try:
            start = f"{psutil.Process(pid).create_time():.0f}"
        except psutil.Error:
            start = ""
    return f"{host_identity()}:{pid}:{start}"


class Meeting:
    """What the parents of a group tell each other through files in the run folder they share."""

    def __init__(self, folder: Path, group: Group) -> None:
        self.folder = folder
        self.group = group

    def _path(self, rank: int, kind: str) -> Path:
        return self.folder / f"rank-{rank}.{kind}"

    def arrive(self, child: int) -> None:
        """Say that this parent is here and which process it watches. Raises OSError."""
        write_json(
            self._path(self.group.rank, "here"),
            {"rank": self.group.rank, "pid": os.getpid(), "child": child, "host": host_identity(), "started": time.time()},
        )

    def leave(self, outcome: Mapping[str, Any]) -> None:
        """Say how this parent's child ended. Raises OSError."""
        write_json(self._path(self.group.rank, "done"), {"rank": self.group.rank, "pid": os.getpid(), **outcome})

    def outcomes(self) -> list[dict[str, Any]]:
        """What the parents said that have ended, by rank."""
        found = [read_json(self._path(rank, "done")) for rank in range(self.group.size)]
        return [value for value in found if isinstance(value, dict)]

    def wait_for_others(
        self, failed: bool, pause: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic
    ) -> list[int]:
        """Wait until the others have ended, are seen to be dead, or the time is over. Returns the ranks that are missing."""
        until = clock() + (WAIT_FAILED_S if failed else WAIT_S)
        missing = [rank for rank in range(self.group.size) if rank != self.group.rank]
        while True:
            missing = [rank for rank in missing if not self._path(rank, "done").exists()]
            waiting = [rank for rank in missing if self._may_come(rank)]
            if not waiting or clock() >= until:
                return missing
            pause(POLL_S)

    def _may_come(self, rank: int) -> bool:
        """False for a parent of this machine that is gone without a word. One that never arrived may still be starting."""
        here = read_json(self._path(rank, "here"))
        if not isinstance(here, dict) or here.get("host") != host_identity():
            return True
        import psutil

        return bool(psutil.pid_exists(int(here["pid"])))
