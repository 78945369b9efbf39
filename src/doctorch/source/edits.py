"""Edits as data: pure functions that apply one to a text or show it as a diff, and builders for the common ones.

A rule names nodes of the ``ast`` that it has read; :mod:`doctorch.source.rewrite` changes them through libcst, so that format and
comments stay, and the edit is what then differs. Every edit made here is checked to leave a text that still parses.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from doctorch.findings import Edit, Replacement
from doctorch.source.files import SourceFile

if TYPE_CHECKING:
    from doctorch.source.rewrite import Rewriter, Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class EditError(Exception):
    """The edit does not fit the text. The text of the error is one sentence for the user."""


def apply(edit: Edit, text: str) -> str:
    """The text after the edit; new lines end as the line does at which they begin. EditError when two replacements overlap."""
    ends = [match.span() for match in _LINE_END.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]

    def offset(line: int, column: int) -> int:
        if not 1 <= line <= len(starts) or not 0 <= column <= stops[line - 1] - starts[line - 1]:
            raise EditError(f"{edit.file} has no line {line}, column {column}: the file is not the one that the edit was made for.")
        return starts[line - 1] + column

    def line_end(line: int) -> str:
        start, end = ends[min(line, len(ends)) - 1] if ends else (0, 0)
        return text[start:end] or "\n"

    spans = sorted(
        (
            (offset(r.start_line, r.start_column), offset(r.end_line, r.end_column), r.text.replace("\n", line_end(r.start_line)))
            for r in edit.replacements
        ),
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
    return "".join(difflib.unified_diff(_lines(text), _lines(apply(edit, text)), f"a/{name}", f"b/{name}"))


@dataclass(frozen=True)
class Change:
    """A change to be made to a file: where, and how. Nothing is parsed before :func:`make`."""

    at: tuple[ast.AST, ...]
    """The nodes that it reads or writes."""
    write: Callable[[Rewriter, Callable[[ast.AST], Span]], None]


def replace_node(file: SourceFile, node: ast.expr, template: str, **parts: ast.expr) -> Change:
    """Replace an expression. ``{name}`` in the template stands for an expression of the file; parentheses come where Python needs them."""
    parent = file.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node

    def write(rewriter: Rewriter, span: Callable[[ast.AST], Span]) -> None:
        spans = {name: span(part) for name, part in parts.items()}
        rewriter.replace(span(node), template, spans, parent=parent, called=called)

    return Change((node, *parts.values()), write)


def wrap_in_call(node: ast.expr, function: str) -> Change:
    """``x`` becomes ``function(x)``."""
    return Change((node,), lambda rewriter, span: rewriter.wrap(span(node), function))


def set_keyword(call: ast.Call, name: str, value: str) -> Change:
    """Add a keyword argument to a call, or give another value to the one it has. No edit where ``**kwargs`` may hold it already."""
    return Change((call,), lambda rewriter, span: rewriter.set_keyword(span(call), name, value))


def remove_last_argument(call: ast.Call) -> Change:
    """Take the last argument out of a call that has several."""
    return Change((call,), lambda rewriter, span: rewriter.remove_last_argument(span(call)))


def insert_before(statement: ast.stmt, text: str) -> Change:
    """Insert a simple statement before another: on a line of its own, or on the same line where others stand on it."""
    return Change((statement,), lambda rewriter, span: rewriter.insert(span(statement), text))


def insert_after(statement: ast.stmt, text: str) -> Change:
    """Insert a simple statement after another: on a line of its own, or on the same line where others stand on it. No edit after
    ``return`` and the like, where it would never run."""
    return Change((statement,), lambda rewriter, span: rewriter.insert(span(statement), text, after=True))


def delete_statement(statement: ast.stmt) -> Change:
    """Delete a statement with the comment on its line; a block left empty gets ``pass``."""
    return Change((statement,), lambda rewriter, span: rewriter.delete(span(statement)))


def move_before(statement: ast.stmt, target: ast.stmt) -> Change:
    """Move a simple statement, with the comment on its line, before another one."""
    return Change((statement, target), lambda rewriter, span: rewriter.move(span(statement), span(target)))


def unwrap_block(block: ast.With | ast.AsyncWith) -> Change:
    """The body of a ``with`` statement in place of the statement."""
    return Change((block,), lambda rewriter, span: rewriter.unwrap(span(block)))


def remove_decorator(decorator: ast.expr) -> Change:
    """Take a decorator, given by its expression, away from its function."""
    return Change((decorator,), lambda rewriter, span: rewriter.remove_decorator(span(decorator)))


def make(file: SourceFile, changes: Iterable[Change], *, safe: bool, summary: str | None = None) -> Edit | None:
    """An edit of a file, or None if it cannot be made, leaves the text as it is or as one that no longer parses.

    ``summary`` stands for the edit in a report; default: the new lines. Notebooks get none: their text is made of cells.
    """
    if file.is_notebook or file.syntax_error is not None:
        return None
    changes = tuple(changes)
    after = _rewritten(file, changes) if changes else None
    if after is None or after == file.text:
        return None
    try:
        ast.parse(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Edit(file.path, file.digest, _replacements(file.text, after), safe, _summary(file.text, after) if summary is None else summary)


def _rewritten(file: SourceFile, changes: Sequence[Change]) -> str | None:
    """The whole text after the changes, or None where one does not fit."""
    from doctorch.source.rewrite import CANNOT, Rewriter

    first, last = _top_level_lines(file, [node for change in changes for node in change.at])

    def span(node: ast.AST) -> Span:
        line, column, end, end_column = _place_of(file, node)
        return line - first, column, end - first, end_column

    # Only the statements around the changes: libcst takes half a second for a thousand lines.
    lines = _lines(file.text)
    piece = "".join(lines[first:last])
    try:
        rewriter = Rewriter(piece)
        for change in changes:
            change.write(rewriter, span)
        return "".join(lines[:first]) + rewriter.code() + "".join(lines[last:])
    except CANNOT:
        return None


def _place_of(file: SourceFile, node: ast.AST) -> Span:
    """First line and column, last line and column of a node; lines 1-based, columns 0-based in characters."""
    where = cast(ast.expr, node)
    assert where.end_lineno is not None
    assert where.end_col_offset is not None
    end = file.column(where.end_lineno, where.end_col_offset)
    return where.lineno, file.column(where.lineno, where.col_offset), where.end_lineno, end


def _top_level_lines(file: SourceFile, nodes: Sequence[ast.AST]) -> tuple[int, int]:
    """The lines, as a slice, of the statements at module level that hold the nodes."""
    wanted = [_place_of(file, node) for node in nodes]
    first, last = len(file.lines), 0
    for statement in file.tree.body:
        start = min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", ()))])
        end = statement.end_lineno or start
        if any(start <= line <= end for line, *_ in wanted):
            first, last = min(first, start - 1), max(last, end)
    return first, last


def _lines(text: str) -> list[str]:
    """Lines with their ends; only ``\\n`` ends one (``splitlines`` knows more)."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [line for line in text.split("\n")[-1:] if line]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items at the start of two sequences are the same."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _differences(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Slices of lines of the one text and what stands for them in the other."""
    same = _alike(before, after)
    tail = _alike(before[same:][::-1], after[same:][::-1])
    old, new = before[same : len(before) - tail], after[same : len(after) - tail]
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield i + same, j + same, k + same, m + same


def _replacements(before: str, after: str) -> tuple[Replacement, ...]:
    """The smallest ranges of text that differ."""
    old, new = _lines(before), _lines(after)
    found = []
    for first, last, start, end in _differences(old, new):
        gone, come = "".join(old[first:last]), "".join(new[start:end])
        head = _alike(gone, come)
        tail = _alike(gone[head:][::-1], come[head:][::-1])
        line, column = _position(gone, head, first)
        end_line, end_column = _position(gone, len(gone) - tail, first)
        found.append(Replacement(line, column, end_line, end_column, come[head : len(come) - tail]))
    return tuple(found)


def _position(text: str, offset: int, first: int) -> tuple[int, int]:
    """Line and column of an offset in a text that begins at the 0-based line ``first``."""
    above = text.count("\n", 0, offset)
    return first + above + 1, offset - (text.rfind("\n", 0, offset) + 1)


def _summary(before: str, after: str) -> str:
    old, new = before.split("\n"), after.split("\n")
    for _, _, first, last in _differences(old, new):
        if first < last:
            return " ".join(line.strip() for line in new[first:last]).strip()
    return ""
