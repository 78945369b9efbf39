"""What ``doctorch run`` does while the training runs: tell certain errors at once, and show the status line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from doctorch.commands._say import FailOn, fails, note
from doctorch.launch.folder import MANIFEST
from doctorch.launch.growth import Growth
from doctorch.launch.session import Watch

if TYPE_CHECKING:
    from doctorch.diagnose import Diagnosed

LIVE_S = 0.5
LIVE_PLAIN_S = 10.0
"""How often the status line is printed where it cannot be overwritten."""


class Watcher(Watch):
    """Reads the growing record every few seconds."""

    def __init__(self, stop_on: FailOn | None, quiet: bool, live: bool) -> None:
        self._stop_on = stop_on
        self._quiet = quiet
        self._live = live
        self._told: set[str] = set()
        self._folder: Path | None = None
        self._growth: Growth | None = None
        self._stop: Callable[[str], None] = lambda reason: None
        self._line_shown = False
        self._next_line = 0.0
        self._had_manifest = False
        self.removed = False
        """Set at the end: whether the run folder, or what it held, was removed while the script ran."""

    def begin(self, folder: Path, stop: Callable[[str], None], speaks: bool) -> None:
        """Start to look, in the parent that speaks for the run."""
        self._stop = stop
        if speaks:
            self._folder = folder
            self._had_manifest = (folder / MANIFEST).is_file()
            self._growth = Growth(folder, self._read)

    def tick(self) -> None:
        """Look if it is time. A failure of ours ends the looking, not the training; the diagnosis at the end tells of it."""
        if self._growth is None:
            return
        try:
            self._growth.look()
            if self._live:
                self._show_line()
        except Exception:
            self._growth = None

    def end(self) -> None:
        """Leave a clean line, and see what the script left of the record before the end of the run is written there."""
        self._clear_line()
        if self._folder is not None:
            self.removed = not self._folder.is_dir() or (self._had_manifest and not (self._folder / MANIFEST).exists())

    def _clear_line(self) -> None:
        if self._line_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _read(self) -> None:
        from doctorch.commands._answer import diagnosis_of

        assert self._folder is not None
        for found in diagnosis_of(self._folder).causes:
            finding = found.finding
            if not finding.certain_now or found.fingerprint in self._told:
                continue
            self._told.add(found.fingerprint)
            if not self._quiet:
                self._clear_line()
                note(_one_line(found))
            if fails([finding.severity.label], self._stop_on):
                if not self._quiet:
                    note(f"stopping the training, as --stop-on {self._stop_on.value if self._stop_on else ''} asks.")
                self._stop(f"--stop-on: {finding.rule}")

    def _show_line(self) -> None:
        from doctorch.launch.live import status_line

        now = time.monotonic()
        if now < self._next_line or self._folder is None:
            return
        overwrite = sys.stderr.isatty()
        self._next_line = now + (LIVE_S if overwrite else LIVE_PLAIN_S)
        line = status_line(self._folder)
        if line is None:
            return
        if overwrite:
            sys.stderr.write(f"\r\x1b[K{line}")
            self._line_shown = True
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _one_line(found: Diagnosed) -> str:
    from doctorch.report.messages import sentences
    from doctorch.report.paths import shown_path

    finding = found.finding
    place = f" {shown_path(finding.place.file, Path.cwd())}:{finding.place.line}" if finding.place is not None else ""
    return f"{finding.severity.label} {finding.rule}{place}: {sentences(finding).message}"
