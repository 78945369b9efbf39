"""One source file of the user: its bytes, text and syntax tree, a notebook's code cells joined into one text."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# Lines of a notebook cell that IPython takes and Python does not: %magic, !shell, ?help.
_IPYTHON_LINE = re.compile(r"^(\s*)(?:[%!?]|.*\?\s*$)")
# A cell magic that hands the whole cell to another language or program.
_FOREIGN_CELL = re.compile(r"^\s*%%(?!time|timeit|capture|prun)")


@dataclass(frozen=True)
class Cell:
    """A code cell: its number as shown to people (1-based over code cells) and the first line it takes in the joined text."""

    number: int
    first_line: int


class SourceFile:
    """A file of the user's project, parsed when asked."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """Read from disk; OSError as ``open`` raises it."""
        return cls(str(path), Path(path).read_bytes())

    @property
    def is_notebook(self) -> bool:
        """Whether the file is a Jupyter notebook."""
        return self.path.endswith(".ipynb")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def _loaded(self) -> tuple[str, tuple[Cell, ...], str | None]:
        return _notebook(self.content) if self.is_notebook else (_plain_ends(_decode(self.content)), (), None)

    @cached_property
    def problem(self) -> str | None:
        """Why nothing of the file could be examined, in the words that follow its name in a sentence; None for a readable file."""
        if self._loaded[2] is not None:
            return self._loaded[2]
        error = self.syntax_error
        if error is None:
            return None
        return f"cannot be parsed: {error.msg}" + (f", line {self.line_label(error.lineno)}" if error.lineno else "")

    @property
    def text(self) -> str:
        """The Python text, line ends as ``\\n``; of a notebook, its code cells one after the other."""
        return self._loaded[0]

    @property
    def original(self) -> str:
        """The text with the line ends of the file; of a notebook as ``text``."""
        return self.text if self.is_notebook else _decode(self.content)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The code cells of a notebook, in order; empty for a plain file."""
        return self._loaded[1]

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; ``lines[0]`` is line 1."""
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """The text of a 1-based line, or an empty string outside the file."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    @cached_property
    def syntax_error(self) -> SyntaxError | None:
        """Why the file cannot be parsed, or None."""
        return self._parsed[1]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; an empty module where the text cannot be parsed."""
        return self._parsed[0]

    @cached_property
    def _parsed(self) -> tuple[ast.Module, SyntaxError | None]:
        try:
            return ast.parse(self.text), None
        except SyntaxError as error:
            return ast.Module(body=[], type_ignores=[]), error
        except (ValueError, RecursionError, MemoryError) as error:  # null bytes; absurd nesting
            return ast.Module(body=[], type_ignores=[]), SyntaxError(str(error))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of each node of the tree."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes, breadth first."""
        return tuple(ast.walk(self.tree))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        return ast.get_source_segment(self.text, node) or ""

    def column(self, line: int, byte_offset: int) -> int:
        """A character column from the UTF-8 byte offset that ``ast`` gives."""
        return len(self.line(line).encode()[:byte_offset].decode(errors="ignore"))

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The full dotted name behind each name that an import of this file binds; relative imports are left out."""
        names: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    names[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return names

    @cached_property
    def comments(self) -> dict[int, str]:
        """Comments by line, without the leading ``#``."""
        found: dict[int, str] = {}
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type == tokenize.COMMENT:
                    found[token.start[0]] = token.string.lstrip("#").strip()
        except (tokenize.TokenError, SyntaxError, IndentationError):
            pass  # what came before the bad place is kept
        return found

    def place_label(self, line: int) -> str:
        """``:58``, or `` cell 3:4`` in a notebook."""
        cell, own = self.cell_line(line)
        return f" cell {cell}:{own}" if cell is not None else f":{line}"

    def line_label(self, line: int) -> str:
        """What follows the word «line»: ``58``, or ``4 of cell 3`` in a notebook."""
        cell, own = self.cell_line(line)
        return f"{own} of cell {cell}" if cell is not None else str(line)

    def cell_line(self, line: int) -> tuple[int | None, int]:
        """The number of the cell (None in a plain file) and the line within it, 1-based, of a line of ``text``."""
        inside = [cell for cell in self.cells if cell.first_line <= line]
        return (inside[-1].number, line - inside[-1].first_line + 1) if inside else (None, line)


def _decode(content: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return content.decode("utf-8", errors="replace")


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook(content: bytes) -> tuple[str, tuple[Cell, ...], str | None]:
    """The joined code cells; lines that only IPython understands become ``pass`` so that line numbers stay. Last, why it is none."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:  # no JSON, no text, absurd nesting
        return "", (), f"is no notebook: it cannot be read as JSON ({str(error).rstrip('.')})"
    try:
        raw = data["cells"] if "cells" in data else data["worksheets"][0]["cells"]  # the second form is that of version 3
        code = [cell for cell in raw if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return "", (), "is no notebook: it holds no list of cells"
    lines: list[str] = []
    cells: list[Cell] = []
    for number, cell in enumerate(code, 1):
        source = cell.get("source", cell.get("input", ""))
        text = "".join(source) if isinstance(source, list) else str(source)
        cells.append(Cell(number, len(lines) + 1))
        own = text.replace("\r\n", "\n").split("\n")
        foreign = bool(own and _FOREIGN_CELL.match(own[0]))
        lines.extend("" if foreign else _python_line(line) for line in own)
    return "\n".join(lines) + "\n", tuple(cells), None


def _python_line(line: str) -> str:
    match = _IPYTHON_LINE.match(line)
    if not match or line.lstrip().startswith("#"):
        return line
    return f"{match.group(1)}pass"
