"""The diagnosis for a person at a terminal: at most 80 columns, colours where the stream has them.

ERROR  double-softmax                                               train.py:58
       58 │ return F.softmax(self.head(h), dim=-1)
       Cross-entropy is given probabilities: …
  why  …
  fix  …
   so  loss-plateau: …
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.text import Text

from doctorch.diagnose import Diagnosed, Diagnosis
from doctorch.findings import Place, Severity
from doctorch.report import closing
from doctorch.report.messages import sentences, untied
from doctorch.report.paths import shown_path

MAX_WIDTH = 80
MIN_WIDTH = 40
"""On a narrower terminal the terminal itself breaks the lines."""
INDENT = 7
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.ADVICE: "bold cyan"}
_LABELS = {Severity.ERROR: "ERROR", Severity.WARNING: "WARN", Severity.ADVICE: "ADVICE"}


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes colours; NO_COLOR (https://no-color.org) and TERM=dumb are respected."""
    console = _console(stream, terminal=bool(stream.isatty()))
    # "windows" is the console before Windows 10, which takes calls and no codes; with NO_COLOR rich would leave bold and dim.
    return console.color_system not in (None, "windows") and not console.no_color


def show(diagnosis: Diagnosis, stream: TextIO, *, colour: bool | None = None, cwd: str | None = None) -> None:
    """Write the report to a stream; what its encoding cannot show is replaced.

    Raises:
        OSError: as ``write`` of the stream raises it.
    """
    colour = wants_colour(stream) if colour is None else colour
    width = min(MAX_WIDTH, max(MIN_WIDTH, _columns(stream))) if stream.isatty() else MAX_WIDTH
    text = render(diagnosis, colour=colour, width=width, cwd=cwd)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # Written here and not by rich, which answers a reader that went away with the end of the program.
    stream.write(text.encode(encoding, errors="replace").decode(encoding))
    stream.flush()


def _columns(stream: TextIO) -> int:
    """Columns of a terminal. rich takes a dumb one for 80 columns wide whatever COLUMNS says, unless LINES is set too."""
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isdigit() else _console(stream, terminal=True).width


def render(diagnosis: Diagnosis, *, colour: bool = False, width: int = MAX_WIDTH, cwd: str | None = None) -> str:
    """The report as text that ends in a newline. Paths below ``cwd`` (default: the working directory) are shown relative to it."""
    page = _Page(width, Path(cwd or os.getcwd()))
    for cause in diagnosis.causes:
        page.finding(cause, diagnosis)
    page.closing(diagnosis)
    out = io.StringIO()
    console = _console(out, terminal=colour, colour=colour, width=width)
    console.print(Rule(Text("doctorch", "dim"), align="left", style="dim"))
    for line in page.lines:
        console.print(line, soft_wrap=True)
    return out.getvalue()


def _console(stream: TextIO, *, terminal: bool, colour: bool | None = None, width: int | None = None) -> Console:
    """A console that prints what it is given as it is. ``colour`` None: as the stream and the environment say."""
    return Console(
        file=stream,
        # A stream that is no terminal gets plain text also where FORCE_COLOR is set: logs are read by programs too.
        force_terminal=terminal,
        force_jupyter=False,
        color_system="auto" if colour is None else "standard" if colour else None,
        no_color=None if colour is None else not colour,
        legacy_windows=None if colour is None else False,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
    )


class _Page:
    """Lines under construction."""

    def __init__(self, width: int, cwd: Path) -> None:
        self.lines: list[RenderableType] = []
        self.width = width
        self.cwd = cwd

    def line(self, *parts: str | tuple[str, str]) -> None:
        """Add a line of texts, plain or with a style."""
        self.lines.append(Text.assemble(*parts))

    def finding(self, found: Diagnosed, diagnosis: Diagnosis) -> None:
        finding = found.finding
        words = sentences(finding, diagnosis.project)
        label = f"{_LABELS[finding.severity]:<{INDENT}}"
        head = ((label, _STYLES[finding.severity]), (finding.rule, "bold"))
        place = self.place(finding.place, diagnosis)
        gap = self.width - cell_len(label + finding.rule + place)
        if gap >= 2:
            self.line(*head, " " * gap + place)
        else:  # a long path gets a line of its own
            self.line(*head)
            self.line(" " * INDENT + place)
        if finding.place is not None and found.source_line:
            file = diagnosis.project.file(finding.place.file)
            number = file.cell_line(finding.place.line)[1] if file is not None else finding.place.line
            self.code(f"{number} │ ", found.source_line)
        self.paragraph("", words.message)
        if found.also:
            self.paragraph(
                "also", ", ".join(self.place(place, diagnosis) for place in found.also[:5]) + (", …" if len(found.also) > 5 else "")
            )
        if words.why:
            self.paragraph("why", words.why)
        if found.edit is not None and found.edit.summary:
            self.paragraph("fix", words.fix or "Change it to:")
            self.code("→ ", found.edit.summary)
        elif words.fix:
            self.paragraph("fix", words.fix)
        if words.proof:
            self.paragraph("proof", words.proof)
        self.effects(found, diagnosis)
        self.line("")

    def effects(self, cause: Diagnosed, diagnosis: Diagnosis) -> None:
        for effect in diagnosis.under(cause):
            where = ""
            if effect.finding.place is not None and effect.finding.place != cause.finding.place:
                where = f" ({self.place(effect.finding.place, diagnosis)})"
            self.paragraph("so", f"{effect.finding.rule}{where}: {sentences(effect.finding, diagnosis.project).message}")
            self.effects(effect, diagnosis)

    def place(self, place: Place | None, diagnosis: Diagnosis) -> str:
        if place is None:
            return ""
        file = diagnosis.project.file(place.file)
        return shown_path(place.file, self.cwd) + (file.place_label(place.line) if file is not None else f":{place.line}")

    def code(self, prefix: str, text: str) -> None:
        """One line of source, cut where the page ends."""
        shown = Text(text.replace("\t", "    "))
        shown.truncate(max(2, self.width - INDENT - cell_len(prefix)), overflow="ellipsis")
        self.line(" " * INDENT, (prefix, "dim"), shown.plain)

    def paragraph(self, label: str, text: str) -> None:
        first, *more = _wrapped(text, self.width - INDENT)
        self.line((f"{label:>{INDENT - 2}}  ", "dim"), first)
        for line in more:
            self.line(" " * INDENT + line)

    def closing(self, diagnosis: Diagnosis) -> None:
        for sentence in closing.sentences(diagnosis, self.cwd):
            for line in _wrapped(sentence, self.width):
                self.line(line)


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` columns, at least one.

    rich's own wrapping breaks between a number and its unit (it takes a no-break space for a space) and folds long words; a path must
    stay in one piece to be copied, so a longer one sticks out.
    """
    lines = [""]
    for word in text.translate({ord(end): " " for end in "\t\n\r\v\f"}).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if not lines[-1] or cell_len(longer.rstrip(" ")) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [untied(line.rstrip(" ")) for line in lines]
