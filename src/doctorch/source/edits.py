"""Edits as data: pure functions that apply one to a text or show it as a diff, and builders for the common ones.

Positions come from ``ast`` (byte offsets turned into character columns), and every edit made here is checked to leave a text that
still parses.
"""

from __future__ import annotations

import ast
import difflib
import itertools
from collections.abc import Iterable

from doctorch.findings import Edit, Replacement
from doctorch.source.files import SourceFile


class EditError(Exception):
    """The edit does not fit the text. The text of the error is one sentence for the user."""


def apply(edit: Edit, text: str) -> str:
    """The text after the edit. Replacements are applied from the end backwards; EditError when two of them overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        if not 1 <= line <= len(lines) or not 0 <= column <= len(lines[line - 1]):
            raise EditError(f"{edit.file} has no line {line}, column {column}: the file is not the one that the edit was made for.")
        return starts[line - 1] + column

    spans = sorted(
        ((offset(r.start_line, r.start_column), offset(r.end_line, r.end_column), r.text) for r in edit.replacements),
        key=lambda span: (span[0], span[1]),
    )
    for (_, end, _), (start, _, _) in itertools.pairwise(spans):
        if start < end:
            raise EditError(f"two changes to {edit.file} overlap.")
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def diff(edit: Edit, text: str, name: str | None = None) -> str:
    """The edit as a unified diff of ``name`` (default: the edit's file), with three lines of context."""
    name = name or edit.file
    before, after = text.splitlines(keepends=True), apply(edit, text).splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def replace_node(file: SourceFile, node: ast.expr | ast.stmt, text: str) -> Replacement:
    """Replace a node's text."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Replacement(
        node.lineno,
        file.column(node.lineno, node.col_offset),
        node.end_lineno,
        file.column(node.end_lineno, node.end_col_offset),
        text,
    )


def insert_after(file: SourceFile, node: ast.expr, text: str) -> Replacement:
    """Insert text right behind an expression."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    column = file.column(node.end_lineno, node.end_col_offset)
    return Replacement(node.end_lineno, column, node.end_lineno, column, text)


def insert_line(file: SourceFile, before: int, text: str) -> Replacement:
    """Insert a line before line ``before``, indented as that line is."""
    line = file.line(before)
    indent = line[: len(line) - len(line.lstrip())]
    return Replacement(before, 0, before, 0, f"{indent}{text}\n")


def insert_line_after(file: SourceFile, after: ast.stmt, text: str) -> Replacement:
    """Insert a line after a statement, indented as the statement is."""
    assert after.end_lineno is not None
    line = file.line(after.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    end = after.end_lineno
    return Replacement(end, len(file.line(end)), end, len(file.line(end)), f"\n{indent}{text}")


def delete_lines(first: int, last: int) -> Replacement:
    """Delete whole lines, both ends included."""
    return Replacement(first, 0, last + 1, 0, "")


def as_operand(file: SourceFile, node: ast.expr) -> str:
    """A node's text, in parentheses where a method call or another line break needs them."""
    text = file.segment(node)
    atomic = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return text if atomic else f"({text})"


def in_place_of(file: SourceFile, old: ast.expr, new: ast.expr) -> str:
    """The text of ``new`` fit to stand where ``old`` (a call around it) stands: in parentheses where Python needs them."""
    text = file.segment(new)
    closed = isinstance(new, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple)
    parent = file.parents.get(old)
    if isinstance(parent, ast.Call) and old is not parent.func and not isinstance(new, ast.GeneratorExp):
        return text
    if isinstance(parent, ast.Return | ast.Assign | ast.Expr | ast.AnnAssign):
        return f"({text})" if "\n" in text and not closed else text
    return text if closed and not isinstance(new, ast.Constant) else f"({text})"


def make(file: SourceFile, replacements: Iterable[Replacement], *, safe: bool, summary: str | None = None) -> Edit | None:
    """An edit of a file, or None if the text would no longer parse. ``summary`` stands for it in a report; default: the new lines.

    Notebooks get none: their text is made of cells.
    """
    if file.is_notebook or file.syntax_error is not None or "\r" in file.content.decode("utf-8", errors="replace"):
        return None
    edit = Edit(file.path, file.digest, tuple(replacements), safe, "")
    try:
        after = apply(edit, file.text)
        ast.parse(after)
    except (EditError, SyntaxError, ValueError):
        return None
    if after == file.text:
        return None
    return Edit(edit.file, edit.digest, edit.replacements, safe, _summary(file.text, after) if summary is None else summary)


def _summary(before: str, after: str) -> str:
    old, new = before.split("\n"), after.split("\n")
    for tag, _, _, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("replace", "insert"):
            return " ".join(line.strip() for line in new[first:last]).strip()
    return ""
