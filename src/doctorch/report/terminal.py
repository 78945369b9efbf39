"""The diagnosis for a person at a terminal: at most 80 columns, colours where the stream has them.

ERROR  double-softmax                                               train.py:58
       58 │ return F.softmax(self.head(h), dim=-1)
       Cross-entropy is given probabilities: …
  why  …
  fix  …
   so  loss-plateau: …
"""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import TextIO

from doctorch.diagnose import Diagnosed, Diagnosis
from doctorch.findings import Place, Severity
from doctorch.report import closing
from doctorch.report.messages import sentences, untied
from doctorch.report.paths import shown_path

MAX_WIDTH = 80
INDENT = 7
_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.ADVICE: "\x1b[1;36m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes colours; NO_COLOR (https://no-color.org) and TERM=dumb are respected."""
    return bool(stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


def show(diagnosis: Diagnosis, stream: TextIO, *, colour: bool | None = None, cwd: str | None = None) -> None:
    """Write the report to a stream; what its encoding cannot show is replaced."""
    colour = wants_colour(stream) if colour is None else colour
    text = render(diagnosis, colour=colour, cwd=cwd)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, errors="replace").decode(encoding))
    stream.flush()


def render(diagnosis: Diagnosis, *, colour: bool = False, width: int = MAX_WIDTH, cwd: str | None = None) -> str:
    """The report as text that ends in a newline. Paths below ``cwd`` (default: the working directory) are shown relative to it."""
    page = _Page(colour, width, Path(cwd or os.getcwd()))
    page.rule()
    for cause in diagnosis.causes:
        page.finding(cause, diagnosis)
    page.closing(diagnosis)
    return "\n".join(page.lines) + "\n"


class _Page:
    """Lines under construction."""

    def __init__(self, colour: bool, width: int, cwd: Path) -> None:
        self.lines: list[str] = []
        self.colour = colour
        self.width = width
        self.cwd = cwd

    def style(self, text: str, code: str) -> str:
        return f"{code}{text}{_PLAIN}" if self.colour and text else text

    def rule(self) -> None:
        title = "doctorch "
        self.lines.append(self.style(title + "─" * (self.width - len(title)), _DIM))

    def finding(self, found: Diagnosed, diagnosis: Diagnosis) -> None:
        finding = found.finding
        words = sentences(finding)
        label = {Severity.ERROR: "ERROR", Severity.WARNING: "WARN", Severity.ADVICE: "ADVICE"}[finding.severity]
        place = self.place(finding.place, diagnosis)
        head = f"{label:<{INDENT}}{finding.rule}"
        gap = self.width - len(head) - len(place)
        coloured = self.style(f"{label:<{INDENT}}", _COLOURS[finding.severity]) + self.style(finding.rule, _BOLD)
        if gap >= 2:
            self.lines.append(coloured + " " * gap + place)
        else:  # a long path gets a line of its own
            self.lines.append(coloured)
            self.lines.append(" " * INDENT + place)
        if finding.place is not None and found.source_line:
            prefix = f"{finding.place.line} │ "
            code = _cut(found.source_line, self.width - INDENT - len(prefix))
            self.lines.append(" " * INDENT + self.style(prefix, _DIM) + code)
        self.paragraph("", words.message)
        if found.also:
            self.paragraph(
                "also", ", ".join(self.place(place, diagnosis) for place in found.also[:5]) + (", …" if len(found.also) > 5 else "")
            )
        if words.why:
            self.paragraph("why", words.why)
        if found.edit is not None and found.edit.summary:
            self.paragraph("fix", words.fix or "Change it to:")
            self.lines.append(" " * INDENT + self.style("→ ", _DIM) + _cut(found.edit.summary, self.width - INDENT - 2))
        elif words.fix:
            self.paragraph("fix", words.fix)
        self.effects(found, diagnosis)
        self.lines.append("")

    def effects(self, cause: Diagnosed, diagnosis: Diagnosis) -> None:
        for effect in diagnosis.under(cause):
            where = ""
            if effect.finding.place is not None and effect.finding.place != cause.finding.place:
                where = f" ({self.place(effect.finding.place, diagnosis)})"
            self.paragraph("so", f"{effect.finding.rule}{where}: {sentences(effect.finding).message}")
            self.effects(effect, diagnosis)

    def place(self, place: Place | None, diagnosis: Diagnosis) -> str:
        if place is None:
            return ""
        file = diagnosis.project.file(place.file)
        return shown_path(place.file, self.cwd) + (file.place_label(place.line) if file is not None else f":{place.line}")

    def paragraph(self, label: str, text: str) -> None:
        wrapped = textwrap.wrap(text, self.width - INDENT, break_long_words=False, break_on_hyphens=False) or [""]
        self.lines.append(self.style(f"{label:>{INDENT - 2}}  ", _DIM) + untied(wrapped[0]))
        self.lines.extend(" " * INDENT + untied(line) for line in wrapped[1:])

    def closing(self, diagnosis: Diagnosis) -> None:
        for sentence in closing.sentences(diagnosis, self.cwd):
            wrapped = textwrap.wrap(sentence, self.width, break_long_words=False, break_on_hyphens=False)
            self.lines.extend(untied(line) for line in wrapped)


def _cut(text: str, width: int) -> str:
    text = text.replace("\t", "    ")
    return text if len(text) <= width else text[: max(1, width - 1)] + "…"
