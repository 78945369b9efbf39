"""Reading the user's source and editing it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from doctorch.findings import Edit, Replacement
from doctorch.source import edits, flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project


def source(text: str) -> SourceFile:
    return SourceFile("/nowhere/train.py", text.encode())


def edit(*replacements: Replacement) -> Edit:
    return Edit("train.py", "", replacements, True, "")


def test_apply_is_from_the_end_backwards() -> None:
    text = "aa bb\ncc dd\n"
    assert (
        edits.apply(edit(Replacement(1, 0, 1, 2, "xxx"), Replacement(2, 3, 2, 5, ""), Replacement(1, 5, 1, 5, "!")), text)
        == "xxx bb!\ncc \n"
    )
    assert edits.apply(edit(Replacement(1, 0, 2, 0, "")), text) == "cc dd\n"


def test_apply_refuses_overlaps_and_other_files() -> None:
    with pytest.raises(edits.EditError, match="overlap"):
        edits.apply(edit(Replacement(1, 0, 1, 3, ""), Replacement(1, 2, 1, 4, "")), "abcdef\n")
    with pytest.raises(edits.EditError, match="no line 7"):
        edits.apply(edit(Replacement(7, 0, 7, 0, "")), "abc\n")


def test_columns_count_characters_not_bytes() -> None:
    file = source("x = 'äöü', f(y)\n")
    call = next(node for node in file.nodes if isinstance(node, ast.Call))
    made = edits.make(file, [edits.replace_node(file, call, "y")], safe=True)
    assert made is not None
    assert edits.apply(made, file.text) == "x = 'äöü', y\n"
    assert made.summary == "x = 'äöü', y"


def test_no_edit_that_breaks_the_file() -> None:
    file = source("x = f(y)\n")
    call = next(node for node in file.nodes if isinstance(node, ast.Call))
    assert edits.make(file, [edits.replace_node(file, call, "((")], safe=True) is None
    assert edits.make(file, [edits.replace_node(file, call, "f(y)")], safe=True) is None
    assert edits.make(file, [edits.remove_last_argument(call)], safe=True) is None
    assert edits.make(file, [], safe=True) is None
    other = ast.parse("x =  f(y)").body[0]  # not of this text
    assert isinstance(other, ast.Assign)
    assert edits.make(file, [edits.replace_node(file, other.value, "z")], safe=True) is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("y = s(a + b)\n", "y = a + b\n"),
        ("y = 2 * s(a + b)\n", "y = 2 * (a + b)\n"),
        ("y = s(a + b).sum()\n", "y = (a + b).sum()\n"),
        ("y = g(s(a + b), c)\n", "y = g(a + b, c)\n"),
        ("y = s(\n    a\n    + b)\n", "y = (a\n    + b)\n"),
        ("return_ = s(a.b[0](c))\n", "return_ = a.b[0](c)\n"),
        ("y = 2 * s((a + b))\n", "y = 2 * (a + b)\n"),
        ("y = 2 * (s(a + b))\n", "y = 2 * (a + b)\n"),
        ("y = g(k=s(a + b))\n", "y = g(k=a + b)\n"),
        ("y = g(s(i for i in a), c)\n", "y = g((i for i in a), c)\n"),
        ("y = (s((a, b)))\n", "y = ((a, b))\n"),
        ("y = s(3).bit_length()\n", "y = (3).bit_length()\n"),
    ],
)
def test_an_expression_in_place_of_a_call_around_it(text: str, after: str) -> None:
    file = source(text)
    call = next(node for node in file.nodes if isinstance(node, ast.Call) and query.dotted(node.func) == "s")
    made = edits.make(file, [edits.replace_node(file, call, "{value}", value=call.args[0])], safe=True)
    assert made is not None
    assert edits.apply(made, file.text) == after


def test_windows_line_ends_and_encodings() -> None:
    assert source("a = 1\r\nb = 2\r\n").lines[:2] == ["a = 1", "b = 2"]
    latin = SourceFile("x.py", "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    assert latin.line(2) == "x = 'é'"
    assert latin.syntax_error is None
    assert SourceFile("x.py", b"\xff\xfe\x00bad").tree.body == []


def test_names_after_imports() -> None:
    file = source("import torch.nn.functional as F\nfrom torch import nn as n\nimport torch\nF.relu\nn.Linear\ntorch.nn.ReLU\nother.x\n")
    names = [query.qualified(file, node.value) for node in file.tree.body if isinstance(node, ast.Expr)]
    assert names == ["torch.nn.functional.relu", "torch.nn.Linear", "torch.nn.ReLU", "other.x"]


def test_loops_around_a_line() -> None:
    file = source("for a in b:\n    for c in d:\n        x\n    def f():\n        while True:\n            y\n")
    assert [loop.lineno for loop in query.loops_around(file, 3)] == [2, 1]
    assert [loop.lineno for loop in query.loops_around(file, 6)] == [5]
    assert [loop.lineno for loop in query.loops_around(file, 2)] == [1]


@pytest.mark.parametrize(
    ("text", "line", "switch"),
    [
        ("import torch\nwith torch.no_grad():\n    f(x)\n", 3, 2),
        ("import torch\nwith a, torch.inference_mode():\n    f(x)\n", 3, 2),
        ("from torch import no_grad\n@no_grad()\ndef f():\n    g(x)\n", 4, 2),
        ("import torch\n@torch.no_grad\ndef f():\n    g(x)\n", 4, 2),
        ("import torch\nwith torch.set_grad_enabled(False):\n    f(x)\n", 3, 2),
        ("import torch\nwith torch.set_grad_enabled(train):\n    f(x)\n", 3, None),
        ("import torch\nwith torch.inference_mode(False):\n    f(x)\n", 3, None),
        ("import torch\nwith torch.enable_grad():\n    f(x)\n", 3, None),
    ],
)
def test_where_gradients_are_off(text: str, line: int, switch: int | None) -> None:
    assert query.gradless_line(source(text), line) == switch


def last_call_made_by(text: str) -> list[str | None]:
    """What made the argument of the last call ``use(…)``."""
    file = source(text)
    call = [node for node in file.nodes if isinstance(node, ast.Call) and query.dotted(node.func) == "use"][-1]
    return [
        None if made is None else made.file.segment(made.node) for made in flow.made_by(Project([file], on_disk=False), file, call.args[0])
    ]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("x = a()\nx = b()\nuse(x)\n", ["b()"]),
        ("x = a()\nif c:\n    x = b()\nuse(x)\n", ["a()", "b()"]),
        ("def f(x):\n    x = a()\n    use(x)\n", ["a()"]),
        ("def f(x):\n    use(x)\n", [None]),
        ("for x in y:\n    use(x)\n", [None]),
        ("x = a()\nfor i in y:\n    use(x)\n    x = b()\n", ["a()", "b()"]),
        ("import m\nx, y = m.a(), m.b()\nuse(y.view(-1))\n", ["m.b()"]),
        ("def f():\n    return m.a()\nuse(f())\n", ["m.a()"]),
        ("def f():\n    return f()\nuse(f())\n", [None]),
        ("use(g() if c else h())\n", [None, None]),
    ],
)
def test_following_values(text: str, made: list[str | None]) -> None:
    text = text.replace("a()", "m.a()").replace("b()", "m.b()").replace("m.m.", "m.")
    expected = [one if one is None or one.startswith("m.") else f"m.{one}" for one in made]
    assert last_call_made_by(text) == expected


def test_projects_follow_their_own_imports_only(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "net.py").write_text("from . import tools\nimport json\n")
    (tmp_path / "pkg" / "tools.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("x = 2\n")
    main = tmp_path / "main.py"
    main.write_text("import torch\nfrom pkg.net import Net\nimport pkg\n")
    project = Project.from_paths([main])
    assert [Path(file.path).name for file in project.files] == ["main.py", "__init__.py", "net.py", "tools.py"]
    first = project.file(str(main.resolve()))
    assert first is not None
    assert len(project.connected(first)) == 4


def test_folders_are_walked_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("a.py", "b.ipynb", ".venv/c.py", "build/d.py", "sub/e.py", "f.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}" if name.endswith("ipynb") else "x = 1\n")
    assert [Path(file.path).name for file in Project.from_paths([tmp_path]).files] == ["a.py", "b.ipynb", "e.py"]
