"""The state of observation in one process, and what every observer needs: the record, the clock, and safe failure."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from doctorch.observe import lines
from doctorch.observe.batches import Batches
from doctorch.observe.lines import Site
from doctorch.records import schema
from doctorch.records.writer import Entry, RecordWriter

now = time.perf_counter_ns
NAN = float("nan")

ENVIRONMENT_ALLOWED = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "PYTORCH_ALLOC_CONF")
"""Variables whose values are recorded; nothing else of the environment is."""

MAX_FAILURES = 5
STALL_S = 10.0
"""A main thread without an event for this long has its stack noted: an epoch's validation is shorter, a hang is not."""
MAX_ENTRIES_PER_KIND = 5000


class Recorder:
    """One per process. After a fork the child gets a fresh one, which starts to write when there is something to say."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.main_ident = threading.get_ident()
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.role = "other"
        self.steps = 0
        self.watch_ns = 0
        self.loop_started = 0
        self.last_event = now()
        self.started = False
        self.finished = False
        self.batches = Batches()
        """What loaders gave last."""
        self.paused = False
        """An experiment is under way between two steps."""
        self.paused_ns = 0
        self._kinds: dict[str, int] = {}
        self._stalled_at = 0
        self.writer = RecordWriter(str(settings["run_dir"]), self._first_meta())
        self.writer.providers.append(self._update_meta)
        self.writer.on_tick = self._look_for_stall

    def _first_meta(self) -> dict[str, Any]:
        environment = os.environ
        return {
            "schema": schema.VERSION,
            "pid": os.getpid(),
            "parent_pid": os.getppid(),
            "role": "other",
            "rank": _integer(environment.get("RANK", environment.get("SLURM_PROCID"))),
            "local_rank": _integer(environment.get("LOCAL_RANK", environment.get("SLURM_LOCALID"))),
            "world_size": _integer(environment.get("WORLD_SIZE", environment.get("SLURM_NTASKS"))),
            "argv": list(getattr(sys, "argv", [])),
            "cwd": os.getcwd(),
            "python": ".".join(map(str, sys.version_info[:3])),
            "platform": sys.platform,
            "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "environment": {name: environment[name] for name in ENVIRONMENT_ALLOWED if name in environment},
            "started": time.time(),
            "ended": None,
            "steps": 0,
            "notes": self.notes,
            "failures": self.failures,
            "sources": {},
        }

    def _update_meta(self) -> None:
        meta = self.writer.meta
        meta["role"] = self.role
        meta["steps"] = self.steps
        meta["watch_ns"] = self.watch_ns
        meta["loop_ns"] = (self.last_event - self.loop_started - self.paused_ns) if self.loop_started else 0
        meta["flush_ns"] = self.writer.flush_ns

    def ensure_started(self) -> None:
        """Begin to write, once."""
        if not self.started:
            self.started = True
            self.writer.start()

    # ---- facts

    def fact(self, kind: str, key: str, site: Site | None = None, make: Callable[[], dict[str, Any]] = dict) -> Entry:
        """The entry of that kind and key at a site; made once, then the same object. Bounded per kind."""
        entry = self.writer.entries.get((kind, key))
        if entry is None:
            number = self._kinds[kind] = self._kinds.get(kind, 0) + 1
            if number > MAX_ENTRIES_PER_KIND:
                self.note(f"more than {MAX_ENTRIES_PER_KIND} facts of kind {kind}: the rest is left out")
                return Entry(kind, key, None, None, make())
            entry = self.writer.entry(kind, key, site.file if site else None, site.line if site else None, make)
            entry.step_first = self.steps
        return entry

    def number_of(self, kind: str) -> int:
        """Entries of a kind so far."""
        return self._kinds.get(kind, 0)

    def touch(self, entry: Entry) -> None:
        """Mark an entry as changed at the current step."""
        entry.step_last = self.steps
        if not entry.dirty:
            entry.dirty = True
            self.writer.dirty.append(entry)

    def note(self, text: str) -> None:
        """Say once what was left out."""
        if text not in self.notes:
            self.notes.append(text)

    def failed(self) -> None:
        """Record a failure of doctorch's own code; called in an except block. The training goes on."""
        with contextlib.suppress(Exception):
            if len(self.failures) < MAX_FAILURES:
                text = traceback.format_exc(limit=12)
                if text not in self.failures:
                    self.failures.append(text)

    # ---- time

    def event(self, at: int) -> None:
        """Something of the training happened."""
        self.last_event = at
        if not self.loop_started:
            self.loop_started = at

    def _look_for_stall(self) -> None:
        quiet = (now() - self.last_event) / 1e9
        if self.paused or not self.loop_started or quiet < STALL_S or self._stalled_at == self.last_event:
            return
        self._stalled_at = self.last_event
        frame = sys._current_frames().get(self.main_ident)
        if frame is None:
            return
        sites = lines.stack(frame)
        last = sites[-1] if sites else None
        entry = self.fact("stall", f"{self.steps}", last)
        entry.data.update(
            stack=[s.as_data for s in sites],
            seconds=round(quiet, 1),
            inner={"file": frame.f_code.co_filename, "line": frame.f_lineno, "function": frame.f_code.co_name},
        )
        self.touch(entry)

    # ---- the end

    def finish(self, how: str) -> None:
        """The process ends in an orderly way: complete the record."""
        if self.finished or not self.started:
            return
        self.finished = True
        self._update_meta()
        self.writer.meta["ended"] = {"how": how, "at": time.time()}
        self.writer.stop()


def _integer(text: str | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


_current: list[Recorder] = []


def current() -> Recorder:
    """The recorder of this process."""
    return _current[0]


def set_current(recorder: Recorder) -> None:
    """Make this the recorder of the process."""
    _current[:] = [recorder]
