"""How often the kernel's out-of-memory killer struck, so that a SIGKILL can be explained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def oom_kills() -> dict[str, int]:
    """Counters of OOM kills so far: ``cgroup`` (this process's memory group and those above it), ``host``; those that can be read."""
    counters: dict[str, int] = {}
    for path in _cgroup_files():
        count = _count(path)
        if count is not None:
            counters["cgroup"] = counters.get("cgroup", 0) + count
    host = _count(Path("/proc/vmstat"))
    if host is not None:
        counters["host"] = host
    return counters


def difference(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """What was counted between two readings."""
    return {name: after[name] - before[name] for name in before if name in after}


def _cgroup_files() -> list[Path]:
    """The event files of this process's cgroup, version 2 and 1, as seen inside a container or out."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found: list[Path] = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        group = group.lstrip("/")
        if not controllers:
            base, name = Path("/sys/fs/cgroup"), "memory.events"
        elif "memory" in controllers.split(","):
            base, name = Path("/sys/fs/cgroup/memory"), "memory.oom_control"
        else:
            continue
        # A container may see its own group as the root.
        for folder in (base / group, base):
            if (folder / name).exists():
                found.append(folder / name)
                break
    return found


def _count(path: Path) -> int | None:
    """The value beside ``oom_kill`` in a file of names and numbers."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) == 2 and words[0] == "oom_kill" and words[1].isdigit():
            return int(words[1])
    return None
