"""csv-bom: a file begins with a byte-order mark, which becomes part of the first name or value."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.data.failures import Failure, failures
from doctorch.rules.shared import place_of, related
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MARK = "\ufeff"
_SHOWN = (MARK, "\\ufeff", "\\xef\\xbb\\xbf", "ï»¿", "Unexpected UTF-8 BOM")
"""How the mark looks in the text of an exception: as itself, escaped, as bytes, read as Latin-1, or named by the json module."""
_NAMED = (
    re.compile(r"""^(['"])(?P<name>.+)\1$"""),
    re.compile(r"""^(['"])(?P<name>.+)\1 is not in list$"""),
    re.compile(r"^no field of name (?P<name>.+)$"),
)
"""Texts of the exceptions that say which name was not found."""
STRIPPERS = frozenset({"pandas", "polars", "pyarrow", "datasets"})
"""Packages that take the mark off where they read UTF-8."""
OPENERS = frozenset({"open", "io.open", "codecs.open", "numpy.genfromtxt", "numpy.loadtxt"})
_AWARE = ("utf-8-sig", "utf_8_sig", "\\ufeff", MARK, "BOM_UTF8")


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    marked = [fact for fact in run.main_facts("file_open") if fact.get("bom") and not _stripped(fact)]
    ended = list(failures(run, project))
    for fact in marked:
        failure = next((one for one in ended if _says(one, fact)), None)
        if failure is not None:
            yield _finding(project, fact, "not-found", failure.place)
            continue
        asked = _asked_in_vain(project, fact)
        if asked is not None:
            yield _finding(project, fact, "missed", asked)
    if not marked:
        for one in ended:
            if any(shown in one.text for shown in _SHOWN[:2]):
                yield Finding(
                    rule=RULE.id, severity=Severity.ERROR, message="text", place=one.place, why="mark", fix="read", ground="error",
                    confidence=0.9, certain_now=True,
                )  # fmt: skip


def _stripped(fact: Fact) -> bool:
    encoding = str(fact.get("encoding") or "").lower().replace("_", "-")
    return encoding == "utf-8-sig" or (fact.get("by") in STRIPPERS and encoding in ("", "utf-8", "utf8"))


def _says(failure: Failure, fact: Fact) -> bool:
    """Whether the exception is about the mark, or about the name that the mark has changed."""
    if any(shown in failure.text for shown in _SHOWN):
        return True
    field = fact.get("first_field")
    names = (match["name"] for pattern in _NAMED if (match := pattern.match(failure.text)) is not None)
    return bool(field) and failure.type in ("KeyError", "ValueError") and field in names


def _asked_in_vain(project: Project, fact: Fact) -> Place | None:
    """Where the text asks a mapping for the first column by name with an answer for «not there», so that nothing is raised."""
    field = fact.get("first_field")
    file = project.file(fact.file)
    if not field or file is None or any(word in one.text for one in project.files for word in _AWARE):
        return None
    if not any(_is_reader(file, node) for node in file.nodes):
        return None
    for node in file.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and first.value == field and _is_row(file, node.func.value):
                return Place(file.path, node.lineno)
    return None


def _is_reader(file: SourceFile, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and query.qualified(file, node.func) == "csv.DictReader"


def _is_row(file: SourceFile, node: ast.expr) -> bool:
    """Whether a name is the variable of a loop over a ``csv.DictReader``."""
    if not isinstance(node, ast.Name):
        return False
    for one in file.nodes:
        if isinstance(one, ast.For | ast.comprehension) and isinstance(one.target, ast.Name) and one.target.id == node.id:
            over = one.iter
            values = [over] if not isinstance(over, ast.Name) else query.assigned_values(query.scope_of(file, over), over.id)
            if any(_is_reader(file, value) for value in values):
                return True
    return False


def _finding(project: Project, fact: Fact, message: str, other: Place | None) -> Finding:
    place = place_of(fact)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={
            "file": str(fact.get("path")).replace("\\", "/").rpartition("/")[2],
            "field": fact.get("first_field") or "",
            "bytes": 3,
            "encoding": fact.get("encoding") or "bytes",
        },
        place=place or other,
        related=related(other),
        why="mark",
        fix="read",
        ground="error" if message == "not-found" else "source",
        confidence=1.0 if message == "not-found" else 0.9,
        certain_now=True,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Open the file as utf-8-sig."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.message == "text":
        return None
    for call in query.calls_at(file, finding.place.line):
        name = query.qualified(file, call.func) or ""
        if name not in ("open", "io.open", "codecs.open", "numpy.genfromtxt", "numpy.loadtxt") and not name.endswith(
            (".open", ".read_text")
        ):
            continue
        position = {"codecs.open": 2, "open": 3, "io.open": 3}.get(name, 99)
        known = query.argument(call, position, "encoding")
        mode = query.argument(call, 1, "mode")
        if isinstance(mode, ast.Constant) and "b" in str(mode.value):
            return None
        if known is not None and not any(keyword.value is known for keyword in call.keywords):
            change = edits.replace_node(file, known, '"utf-8-sig"')
        else:
            change = edits.set_keyword(call, "encoding", '"utf-8-sig"')
        return edits.make(file, [change], safe=True)
    return None


RULE = Rule(id="csv-bom", title="Byte-order mark at the start of a file", severity=Severity.ERROR, examine=examine, edit=edit)
