"""The run folder: where it lies, who makes it, and its manifest."""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import doctorch
from doctorch.launch.files import read_json, write_json, write_text
from doctorch.launch.group import Group
from doctorch.launch.target import Interpreter, Target, UsageError

HOME = ".doctorch"
MANIFEST = "manifest.json"
MANIFEST_SCHEMA = 1

ALLOWED_ENVIRONMENT = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING",
    "CUBLAS_WORKSPACE_CONFIG",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_ENABLE_MPS_FALLBACK",
    "TORCH_LOGS",
    "TORCHDYNAMO_DISABLE",
    "TORCH_COMPILE_DISABLE",
    "NCCL_DEBUG",
    "NCCL_P2P_DISABLE",
    "NCCL_IB_DISABLE",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "MASTER_PORT",
    "TORCHELASTIC_RESTART_COUNT",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NTASKS",
    "SLURM_CPUS_PER_TASK",
)
"""The only environment variables whose values are recorded: they change how a training runs and tell nothing of the person."""


@dataclass
class RunFolder:
    """A folder that exists, and the sentence to say where it is not the one that was asked for."""

    path: Path
    problem: str | None = None
    manifest: dict[str, Any] = field(default_factory=dict)

    def begin(self, target: Target, interpreter: Interpreter, options: dict[str, Any], group: Group | None) -> None:
        """Write the manifest of a run that starts now. Raises OSError."""
        self.manifest = {
            "schema": MANIFEST_SCHEMA,
            "doctorch": doctorch.__version__,
            "command": [interpreter.executable, *interpreter.flags, *target.words],
            "script": None if target.is_module else os.path.abspath(target.name),
            "module": target.name if target.is_module else None,
            "argv": list(target.args),
            "cwd": os.getcwd(),
            "interpreter": interpreter.executable,
            "python": sys.version.split()[0],
            "platform": sys.platform,
            "pid": os.getpid(),
            "launcher": group.launcher if group else None,
            "world_size": group.size if group else None,
            "options": options,
            "environment": {name: os.environ[name] for name in ALLOWED_ENVIRONMENT if name in os.environ},
            "started": time.time(),
            "child_pid": None,
            "ended": None,
        }
        self.save()

    def save(self) -> None:
        """Write the manifest. Raises OSError."""
        write_json(self.path / MANIFEST, self.manifest)


def make_folder(wanted: Path | None, target: Target, group: Group | None) -> RunFolder | None:
    """Make the run folder: ``wanted``, or a new one under ``.doctorch`` here, or one for temporary files where that cannot be written.

    All parents of a group get the same one. None, with nothing made, where there is no writable place at all.

    Raises:
        UsageError: ``wanted`` holds other files.
    """
    try:
        if wanted is not None:
            return RunFolder(_given_folder(wanted, group))
        return RunFolder(_default_folder(Path.cwd() / HOME, target, group))
    except OSError as error:
        asked = wanted if wanted is not None else Path(HOME)
        reason = error.strerror or str(error)
    try:
        if group is not None:
            path = Path(tempfile.gettempdir()) / f"doctorch-{_user()}-{group.key}"
            path.mkdir(mode=0o700, exist_ok=True)
        else:
            path = Path(tempfile.mkdtemp(prefix=f"doctorch-{target.stem}-"))
    except OSError:
        return None
    return RunFolder(path, problem=f"{asked} cannot be written ({reason}); the record goes to {path}.")


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _default_folder(home: Path, target: Target, group: Group | None) -> Path:
    home.mkdir(exist_ok=True)
    ignore = home / ".gitignore"
    if not ignore.exists():
        write_text(ignore, "*\n")
    if group is None:
        return _new_folder(home, target)
    # The first parent names the folder, the others read the name. A pointer to a run that is over belongs to an earlier launch.
    pointer = home / f".group-{group.key}"
    with _locked(home / f".group-{group.key}.lock"):
        with contextlib.suppress(OSError):
            path = home / pointer.read_text(encoding="utf-8").strip()
            if path.is_dir() and path != home and not _is_over(path):
                return path
        path = _new_folder(home, target)
        write_text(pointer, path.name + "\n")
        return path


def _new_folder(home: Path, target: Target) -> Path:
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    while True:
        path = home / f"{stamp}-{target.stem}-{secrets.token_hex(2)}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path


def _given_folder(wanted: Path, group: Group | None) -> Path:
    """The folder of ``--record``: new, empty, or one of an earlier run, which this run then replaces."""
    path = wanted.absolute()
    if path.exists() and not path.is_dir():
        raise UsageError(f"--record {wanted} is a file; give a folder that is new or empty.")
    path.mkdir(parents=True, exist_ok=True)
    with _locked(path / ".lock") if group else contextlib.nullcontext():
        key = path / ".group"
        if group is not None and read_json(key) == group.key and not _is_over(path):
            return path
        entries = [entry for entry in path.iterdir() if entry.name not in (".lock", ".gitignore")]
        if any(not _is_ours(entry) for entry in entries):
            raise UsageError(f"--record {wanted} holds other files; give a folder that is new or empty.")
        for entry in entries:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        write_text(path / ".gitignore", "*\n")
        if group is not None:
            write_json(key, group.key)
    return path


def _is_ours(entry: Path) -> bool:
    name = entry.name
    return (
        name in (MANIFEST, "sources", ".group", "observer-error.txt", "doctorch-error.txt")
        or (name.startswith("process-") and ".sqlite" in name)
        or (name.startswith("rank-") and name.endswith((".here", ".done")))
        or (name.startswith(f".{MANIFEST}.") and name.endswith(".tmp"))
    )


def _is_over(path: Path) -> bool:
    """Whether the run of this folder has ended, or its first parent never said how and is long silent."""
    manifest = read_json(path / MANIFEST)
    return isinstance(manifest, dict) and manifest.get("ended") is not None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One parent of a group at a time, where the file system can lock; else as they come."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with open(path, "w", encoding="utf-8") as file:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def newest_folder(directory: Path) -> Path | None:
    """The run folder under ``directory/.doctorch`` that began last, or None."""
    try:
        folders = [path for path in (directory / HOME).iterdir() if (path / MANIFEST).is_file() or any(path.glob("process-*.sqlite"))]
    except OSError:
        return None
    # Names begin with the time; two of one second are told apart by the manifest.
    return max(folders, key=lambda path: (path.name[:16], (read_json(path / MANIFEST) or {}).get("started", 0.0)), default=None)
