"""Edits change what they are about and leave the rest of the text, to the last character."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from doctorch.source import edits, query
from doctorch.source.edits import Change
from doctorch.source.files import SourceFile

Build = Callable[[SourceFile], Change]


def source(text: str) -> SourceFile:
    return SourceFile("/nowhere/train.py", text.encode())


def call(file: SourceFile, name: str) -> ast.Call:
    return next(node for node in file.nodes if isinstance(node, ast.Call) and query.dotted(node.func) == name)


def statement(file: SourceFile, name: str) -> ast.stmt:
    """The innermost statement that calls a function."""
    return next(node for node in file.ancestors(call(file, name)) if isinstance(node, ast.stmt))


def first(file: SourceFile, kind: type[ast.AST]) -> ast.AST:
    return next(node for node in file.nodes if isinstance(node, kind))


def edited(text: str, build: Build) -> str | None:
    file = source(text)
    made = edits.make(file, [build(file)], safe=True)
    return None if made is None else edits.apply(made, file.text)


def before_b(file: SourceFile) -> Change:
    return edits.insert_before(statement(file, "b"), "new()")


def after_b(file: SourceFile) -> Change:
    return edits.insert_after(statement(file, "b"), "new()")


def without_b(file: SourceFile) -> Change:
    return edits.delete_statement(statement(file, "b"))


def c_before_b(file: SourceFile) -> Change:
    return edits.move_before(statement(file, "c"), statement(file, "b"))


def unwrapped(file: SourceFile) -> Change:
    node = first(file, ast.With)
    assert isinstance(node, ast.With)
    return edits.unwrap_block(node)


def undecorated(file: SourceFile) -> Change:
    return edits.remove_decorator(call(file, "g"))


def keyword(file: SourceFile) -> Change:
    return edits.set_keyword(call(file, "f"), "k", "4")


def shorter(file: SourceFile) -> Change:
    return edits.remove_last_argument(call(file, "f"))


def squeezed(file: SourceFile) -> Change:
    x = call(file, "f").args[0]
    return edits.replace_node(file, x, "{x}.squeeze(-1)", x=x)


def wrapped(file: SourceFile) -> Change:
    value = statement(file, "f")
    assert isinstance(value, ast.Assign)
    return edits.wrap_in_call(value.value, "nn.ModuleList")


STATEMENTS: list[tuple[Build, str, str]] = [
    (before_b, "a()\nb()  # why\n", "a()\nnew()\nb()  # why\n"),
    (before_b, "a()\n\n# why\nb()\n", "a()\n\n# why\nnew()\nb()\n"),
    (after_b, "b()  # why\n\n# more\nc()\n", "b()  # why\nnew()\n\n# more\nc()\n"),
    (after_b, "if x:\n    b()\n    # end\nc()\n", "if x:\n    b()\n    new()\n    # end\nc()\n"),
    (after_b, "a()\nb()", "a()\nb()\nnew()"),
    # nested, with tabs, with an indentation that changes
    (before_b, "if x:\n\tfor y in z:\n\t\tb()\n", "if x:\n\tfor y in z:\n\t\tnew()\n\t\tb()\n"),
    (
        after_b,
        "class A:\n  def f(self):\n      if x:\n         b()\n      else:\n         c()\n",
        "class A:\n  def f(self):\n      if x:\n         b()\n         new()\n      else:\n         c()\n",
    ),
    (before_b, "try:\n    a()\nfinally:\n    b()\n", "try:\n    a()\nfinally:\n    new()\n    b()\n"),
    (before_b, "if a:\n    pass\nelif c:\n    b()\n", "if a:\n    pass\nelif c:\n    new()\n    b()\n"),
    (before_b, "@d\nclass A:\n    x = b()\n", "@d\nclass A:\n    new()\n    x = b()\n"),
    # semicolons and one-line blocks
    (before_b, "a(); b()\n", "a(); new(); b()\n"),
    (before_b, "b(); c()\n", "new(); b(); c()\n"),
    (after_b, "a(); b()  # why\n", "a(); b(); new()  # why\n"),
    (after_b, "a() ; b() ;\n", "a() ; b(); new() ;\n"),
    (before_b, "for x in y: b()\n", "for x in y: new(); b()\n"),
    (after_b, "for x in y: b()\n", "for x in y: b(); new()\n"),
    # lines that go on
    (before_b, "a()\nx = 1 + \\\n    b()\n", "a()\nnew()\nx = 1 + \\\n    b()\n"),
    (after_b, "if x:\n    b(\n        1,  # one\n    )\n", "if x:\n    b(\n        1,  # one\n    )\n    new()\n"),
    (after_b, 'x = b("""\n  text\n""")\n', 'x = b("""\n  text\n""")\nnew()\n'),
    # taken away
    (without_b, "a()\n# why\nb()  # this\nc()\n", "a()\n# why\nc()\n"),
    (without_b, "if x:\n    # why\n    b()\nc()\n", "if x:\n    # why\n    pass\nc()\n"),
    (without_b, "if x:\n    a()\n    # why\n    b()\nc()\n", "if x:\n    a()\n    # why\nc()\n"),
    (without_b, "a(); b()  # why\n", "a()  # why\n"),
    (without_b, "a(); b(); c()\n", "a(); c()\n"),
    (without_b, "for x in y: b()\n", "for x in y: pass\n"),
    # moved
    (c_before_b, "a()\n# b\nb()  # 1\n# c\nc()  # 2\nd()\n", "a()\n# b\nc()  # 2\nb()  # 1\n# c\nd()\n"),
    (c_before_b, "if x:\n\tb()\n\tc()\n", "if x:\n\tc()\n\tb()\n"),
    (c_before_b, "b(); c()\n", "c(); b()\n"),
    (c_before_b, "b()\na(); c()\n", "c()\nb()\na()\n"),
    (c_before_b, "b()\n\nx = c(\n    1,\n)\n", "x = c(\n    1,\n)\nb()\n\n"),
    # moved out
    (
        unwrapped,
        "for x in y:\n    # why\n    with g():  # off\n        # a\n        a(\n            1)\n"
        "        if x:\n            b()\n        # end\n    c()\n",
        "for x in y:\n    # why\n    # a\n    a(\n        1)\n    if x:\n        b()\n    # end\n    c()\n",
    ),
    (unwrapped, 'with g():\n\tx = """\n\tkept\n"""\n\ty\n', 'x = """\n\tkept\n"""\ny\n'),
    (unwrapped, "if x:\n    with g(): a(); b()  # c\n", "if x:\n    a(); b()  # c\n"),
    # decorators
    (undecorated, "# f\n@g()  # off\n# h\n@h\ndef f():\n    pass\n", "# f\n# h\n@h\ndef f():\n    pass\n"),
    (undecorated, "class A:\n    @g(\n        1,\n    )\n    def f(self):\n        pass\n", "class A:\n    def f(self):\n        pass\n"),
]

EXPRESSIONS: list[tuple[Build, str, str]] = [
    (keyword, "x = f()\n", "x = f(k=4)\n"),
    (keyword, "x = f(a, b = 1)  # c\n", "x = f(a, b = 1, k=4)  # c\n"),
    (keyword, "x = f(a, k = 3, b=1)\n", "x = f(a, k = 4, b=1)\n"),
    (keyword, "x = f(a,\n      b)\n", "x = f(a,\n      b, k=4)\n"),
    (keyword, "x = f(\n    a, b  # c\n)\n", "x = f(\n    a, b, k=4  # c\n)\n"),
    (
        keyword,
        "if y:\n    x = f(\n        a,\n        b,  # c\n    )\n",
        "if y:\n    x = f(\n        a,\n        b,  # c\n        k=4,\n    )\n",
    ),
    (keyword, "x = f(\n\ta,\n\tb  # c\n)\n", "x = f(\n\ta,\n\tb,  # c\n\tk=4\n)\n"),
    (shorter, "x = f(a(1), b(2))\n", "x = f(a(1))\n"),
    (shorter, "x = f(a, b,)\n", "x = f(a,)\n"),
    (shorter, "x = f(\n    a,  # one\n    b,  # two\n)\n", "x = f(\n    a,  # one\n)\n"),
    (shorter, "x = f(\n    a,\n    b\n)\n", "x = f(\n    a\n)\n"),
    (shorter, "x = f(a,\n      b)\n", "x = f(a)\n"),
    (shorter, "x = f(a,  # one\n      b)\n", "x = f(a  # one\n      )\n"),
    (squeezed, "f(x, 1)\n", "f(x.squeeze(-1), 1)\n"),
    (squeezed, "f((x), 1)\n", "f((x).squeeze(-1), 1)\n"),
    (squeezed, "f(x - y, 1)\n", "f((x - y).squeeze(-1), 1)\n"),
    (squeezed, "f(x  # c\n  - y, 1)\n", "f((x  # c\n  - y).squeeze(-1), 1)\n"),
    (wrapped, "x = [f(i) for i in y]  # c\n", "x = nn.ModuleList([f(i) for i in y])  # c\n"),
    (wrapped, "x = (\n    [f(1),  # c\n     2]\n)\n", "x = (\n    nn.ModuleList([f(1),  # c\n     2])\n)\n"),
]


@pytest.mark.parametrize(("build", "text", "after"), STATEMENTS + EXPRESSIONS)
def test_edits(build: Build, text: str, after: str) -> None:
    assert edited(text, build) == after


@pytest.mark.parametrize(("build", "text", "after"), STATEMENTS + EXPRESSIONS)
def test_in_the_middle_of_a_longer_file(build: Build, text: str, after: str) -> None:
    """Positions count from the top of the file, and what stands around is not touched."""
    above, below = "# é\n\n\nimport x\n\x0c\ny = 'ü'\n", "\n\n# end\ndef z(): return 1\n\n\n"
    ends = "" if text.endswith("\n") else "\n"
    assert edited(above + text + ends + below, build) == above + after + ends + below


@pytest.mark.parametrize(("build", "text", "after"), STATEMENTS + EXPRESSIONS)
def test_windows_line_ends_stay(build: Build, text: str, after: str) -> None:
    file = source(text.replace("\n", "\r\n"))
    made = edits.make(file, [build(file)], safe=True)
    assert made is not None
    assert edits.apply(made, file.original) == after.replace("\n", "\r\n")
    lines = edits.diff(made, file.original, "train.py").split("\n")
    assert all(line.endswith("\r") for line in lines[3:-1] if not line.startswith("@@")) or not text.endswith("\n")


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (keyword, "x = f(a, **b)\n"),
        (keyword, "x = f(i for i in a)\n"),
        (shorter, "x = f(a)\n"),
        (c_before_b, "b(c())\n"),
        (undecorated, "x = g()\n"),
        (after_b, "def f():\n    return b()\n"),
        (after_b, "def f():\n    a(); return b()\n"),
        (after_b, "raise b()\n"),
        (before_b, "if x:\n    a()\nelif b():\n    c()\n"),
    ],
)
def test_what_cannot_be_made_is_not_made(build: Build, text: str) -> None:
    assert edited(text, build) is None


def test_replacements_are_small() -> None:
    file = source("def g():\n    x = f(aaa, bbb)\n" + "y = 1\n" * 3000)
    made = edits.make(file, [keyword(file)], safe=True)
    assert made is not None
    (one,) = made.replacements
    assert (one.start_line, one.start_column, one.end_line, one.end_column, one.text) == (2, 18, 2, 18, ", k=4")


def test_several_changes_at_once() -> None:
    file = source("x = f(1)\n# c\n@g()\ndef h():\n    b(); c()\n")
    made = edits.make(file, [keyword(file), undecorated(file), before_b(file), after_b(file)], safe=True)
    assert made is not None
    assert edits.apply(made, file.text) == "x = f(1, k=4)\n# c\ndef h():\n    new(); b(); new(); c()\n"


def test_latin_1() -> None:
    file = SourceFile("x.py", "# -*- coding: latin-1 -*-\nx = 'é', f(1)\n".encode("latin-1"))
    made = edits.make(file, [keyword(file)], safe=True)
    assert made is not None
    assert edits.apply(made, file.text) == "# -*- coding: latin-1 -*-\nx = 'é', f(1, k=4)\n"


def test_notebooks_get_no_edit() -> None:
    file = SourceFile("x.ipynb", b'{"cells": [{"cell_type": "code", "source": "f(1)"}]}')
    assert edits.make(file, [keyword(file)], safe=True) is None


def test_libcst_is_imported_by_the_first_edit_only() -> None:
    code = "import sys, doctorch.diagnose, doctorch.rules.registry as r; r.rules(); print('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_only_one_module_imports_libcst() -> None:
    folder = Path(edits.__file__).parents[1]
    found = {
        path.name
        for path in folder.rglob("*.py")
        if any(line.strip().startswith(("import libcst", "from libcst")) for line in path.read_text("utf-8").split("\n"))
    }
    assert found == {"rewrite.py"}
