# ruff: noqa: E501 (small programs are one line each)
"""The source halves: sick texts are found at their line, healthy look-alikes are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctorch.diagnose import check
from doctorch.report.json import as_object
from doctorch.report.terminal import render

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.act = nn.Softmax(dim=1)
    def forward(self, x):
        x = self.fc(x)
        x = self.act(x)
        return x
"""
LISTED = """
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = []
        for _ in range(n):
            self.blocks.append(nn.Linear(4, 4))
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""

OWN = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * 2
"""

SPLIT = "import torch\nfrom torch.utils.data import random_split\n"

SICK = [
    ("duplicate-leak", SPLIT + "train, _ = random_split(data, [8, 2])\n_, valid = random_split(data, [8, 2])\n", "_, valid ="),
    ("duplicate-leak", SPLIT + "seeded = torch.Generator().manual_seed\n"
     "train, _ = random_split(data, [8, 2], generator=seeded(0))\n_, valid = random_split(data, [8, 2], generator=seeded(1))\n", "_, valid ="),
    ("custom-backward-wrong-count", HEAD + OWN, "return g * 2"),
    ("custom-backward-wrong-count", HEAD + OWN.replace("(ctx, x, k)", "(x, k)").replace("g * 2", "g, None, g")
     + "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        pass\n", "return g, None, g"),
    ("missing-zero-grad", HEAD + "opt = torch.optim.SGD(p, lr=1)\nfor x in d:\n    loss = f(x)\n    loss.backward()\n    opt.step()\n", "loss.backward()"),
    ("zero-grad-before-step", HEAD + "for x in d:\n    loss = f(x)\n    loss.backward()\n    opt.zero_grad()\n    opt.step()\n", "opt.zero_grad()"),
    ("missing-step", HEAD + "opt = torch.optim.SGD(p, lr=1)\nfor x in d:\n    opt.zero_grad()\n    f(x).backward()\n", "backward()"),
    ("scheduler-before-optimizer", HEAD + "opt = torch.optim.SGD(p, lr=1)\nplan = torch.optim.lr_scheduler.StepLR(opt, 9)\nfor x in d:\n"
     "    opt.zero_grad()\n    f(x).backward()\n    plan.step()\n    opt.step()\n", "plan.step()"),
    ("params-not-registered", HEAD + LISTED, "self.blocks = []"),
    ("params-not-registered", HEAD + LISTED.replace("self.blocks = []", "self.blocks = [nn.Linear(4, 4)]"), "self.blocks = ["),
    ("double-softmax", HEAD + "loss = F.cross_entropy(F.softmax(x, dim=1), y)\n", "F.cross_entropy"),
    ("double-softmax", HEAD + "out = m(x).softmax(1)\nprobs = out.view(-1, 3)\nloss = F.cross_entropy(probs, y)\n", "softmax(1)"),
    ("double-softmax", HEAD + NET + "net = Net().to('cpu')\nloss_fn = nn.CrossEntropyLoss()\nfor x, y in d:\n    loss = loss_fn(net(x), y)\n", "self.act(x)"),
    ("double-softmax", HEAD + "net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))\ncrit = nn.CrossEntropyLoss()\ncrit(net(x), y)\n", "nn.Sequential"),
    ("sigmoid-before-bce-with-logits", HEAD + "loss = F.binary_cross_entropy_with_logits(torch.sigmoid(x), y)\n", "torch.sigmoid"),
    ("sigmoid-before-bce-with-logits", HEAD + "net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())\ncrit = nn.BCEWithLogitsLoss()\ncrit(net(x), y)\n", "nn.Sequential"),
    ("nll-without-log-softmax", HEAD + "loss = F.nll_loss(F.softmax(x, dim=1), y)\n", "F.softmax"),
    ("double-softmax", HEAD + "class T:\n    def __init__(self):\n        self.loss = nn.CrossEntropyLoss()\n    def go(self, x, y):\n"
     "        p = torch.softmax(x, 1)\n        return self.loss(p, y)\n", "torch.softmax"),
]  # fmt: skip

HEALTHY = [
    SPLIT + "train, valid = random_split(data, [8, 2])\n",
    SPLIT + "if training:\n    rows, _ = random_split(data, [8, 2])\nelse:\n    _, rows = random_split(data, [8, 2])\n",
    SPLIT + "torch.manual_seed(0)\ntrain, _ = random_split(data, [8, 2])\ntorch.manual_seed(0)\n_, valid = random_split(data, [8, 2])\n",
    SPLIT + "seeded = torch.Generator().manual_seed\n"
     "train, _ = random_split(data, [8, 2], generator=seeded(0))\n_, valid = random_split(data, [8, 2], generator=seeded(0))\n",
    SPLIT + "some, _ = random_split(data, [8, 2])\nothers, _ = random_split(data, [8, 2])\n",
    SPLIT + "rest, test = random_split(data, [8, 2])\ntrain, valid = random_split(rest, [8, 2])\n",
    SPLIT + "train, _ = random_split(data, [8, 2])\ndata = other\n_, valid = random_split(data, [8, 2])\n",
    # Nones beyond the inputs, a tuple made elsewhere, a number of inputs that the call decides
    HEAD + OWN.replace("g * 2", "g, None, None"),
    HEAD + OWN.replace("g * 2", "(g,) + (None,) * 1") + HEAD + OWN.replace("g * 2", "both(g)").replace("Own", "Other"),
    HEAD + OWN.replace("x, k)", "*x)").replace("x * k", "x[0]"),
    HEAD + OWN.replace("torch.autograd.Function", "Mine"),
    HEAD + "loss = F.binary_cross_entropy(torch.sigmoid(x), y) + F.nll_loss(F.log_softmax(x, dim=1), y)\n",
    HEAD + "loss = F.binary_cross_entropy_with_logits(net(x), y)\n",
    # a clearing that the text does not show in this loop
    HEAD + "opt = torch.optim.SGD(p, lr=1)\ndef clear():\n    opt.zero_grad()\nfor x in d:\n    f(x).backward()\n    opt.step()\n    clear()\n",
    HEAD + "opt = torch.optim.SGD(p, lr=1)\nfor x in d:\n    for q in p:\n        q.grad = None\n    f(x).backward()\n    opt.step()\n",
    # the step is another's, or of a closure; a scheduler of another optimizer
    HEAD + "opt = torch.optim.SGD(p, lr=1)\nfor x in d:\n    opt.zero_grad()\n    f(x).backward()\n    engine.step(opt)\n",
    HEAD + "a = torch.optim.SGD(p, lr=1)\nplan = torch.optim.lr_scheduler.StepLR(a, 9)\nfor x in d:\n    b.zero_grad()\n    f(x).backward()\n"
    "    plan.step()\n    b.step()\n",
    # step of the accelerator's kind, of a scheduler
    HEAD + "sched = torch.optim.lr_scheduler.StepLR(opt, 1)\nfor x in d:\n    f(x).backward()\n    sched.step()\n",
    # two backwards: the first step's gradients are cleared after its step
    HEAD + "for x in d:\n    a(x).backward()\n    one.step()\n    one.zero_grad()\n    b(x).backward()\n    one.step()\n",
    HEAD + "for x in d:\n    a(x).backward()\n    two.zero_grad()\n    b(x).backward()\n    two.step()\n",
    # registered in other ways, or handed to the optimizer
    HEAD + LISTED + "    def more(self):\n        self.all = nn.ModuleList(self.blocks)\n",
    HEAD + LISTED + "net = Net(3)\nopt = torch.optim.SGD([q for b in net.blocks for q in b.parameters()], lr=1)\nopt.zero_grad()\n",
    HEAD + LISTED.replace("self.blocks.append(nn.Linear(4, 4))", "self.blocks.append(nn.Linear(4, 4))\n            self.add_module('b', self.blocks[-1])"),
    HEAD + LISTED.replace("nn.Linear(4, 4)", "make()"),
    # log-softmax, sampling, one way without a softmax, an unknown argument
    HEAD + "loss = F.nll_loss(F.log_softmax(x, dim=1), y)\n",
    HEAD + "loss = F.cross_entropy(F.log_softmax(x, dim=1), y)\n",
    HEAD + "p = F.softmax(x, dim=1)\nloss = F.cross_entropy(x, y)\nprint(p)\n",
    HEAD + "def f(x, y, p):\n    if p:\n        x = F.softmax(x, dim=1)\n    return F.cross_entropy(x, y)\n",
    HEAD + NET.replace("        return x\n", "        if self.training:\n            return self.fc(x)\n        return x\n")
    + "net = Net()\nloss = F.cross_entropy(net(x), y)\n",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "line"), SICK)
def test_sick(rule: str, text: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    (found,) = check([path]).findings
    assert found.finding.rule == rule
    assert found.source_line is not None
    assert line in found.source_line


@pytest.mark.parametrize("text", HEALTHY)
def test_healthy(text: str, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    assert check([path]).findings == ()


def test_softmax_in_an_imported_module(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(HEAD + NET)
    main = tmp_path / "train.py"
    main.write_text(HEAD + "from net import Net\nnet = Net()\nloss = F.cross_entropy(net(x), y)\n")
    (found,) = check([main]).findings
    assert found.finding.place is not None
    assert Path(found.finding.place.file).name == "net.py"


def test_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# title"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip list\n", "import torch.nn.functional as F"]},
        {"cell_type": "code", "source": "%%bash\nls F.cross_entropy(F.softmax(a, 1), b)"},
        {"cell_type": "code", "source": "probs = F.softmax(x, dim=1)\nloss = F.cross_entropy(probs, y)\n"},
    ]
    path = tmp_path / "train.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    diagnosis = check([path])
    (found,) = diagnosis.findings
    assert found.source_line == "probs = F.softmax(x, dim=1)"
    assert "train.ipynb cell 3:1" in render(diagnosis, cwd=str(tmp_path))
    assert found.edit is None


def test_a_file_that_cannot_be_parsed_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(:\n")
    (tmp_path / "b.py").write_text(HEAD + "loss = F.cross_entropy(F.softmax(x, dim=1), y)\n")
    diagnosis = check([tmp_path])
    assert len(diagnosis.findings) == 1
    assert any("a.py cannot be parsed" in problem for problem in diagnosis.problems)
    assert diagnosis.files == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("this is no JSON", "is no notebook: it cannot be read as JSON (Expecting value"),
        ("[1, 2]", "is no notebook: it holds no list of cells."),
        (json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": "y = 2\ndef f(:"}]}),
         "cannot be parsed: invalid syntax, line 2 of cell 2."),
    ],
)  # fmt: skip
def test_a_notebook_that_cannot_be_read_is_said(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(content)
    diagnosis = check([tmp_path])
    assert (diagnosis.files, diagnosis.examined) == (0, ())
    (problem,) = diagnosis.problems
    assert f"a.ipynb {words}" in problem


def test_a_file_of_a_folder_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to(tmp_path / "gone.py")
    (tmp_path / "b.py").write_text("x = 1\n")
    diagnosis = check([tmp_path])
    assert diagnosis.files == 1
    assert diagnosis.problems == (f"{tmp_path / 'a.py'} cannot be read (No such file or directory).",)


def test_lines_of_a_notebook_are_those_of_its_cells(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": "import torch\n" + "x = 1\n" * 20},
        {
            "cell_type": "code",
            "source": "opt = torch.optim.SGD(p, lr=1)\nfor x in d:\n    loss = f(x)\n    loss.backward()\n    opt.step()\n",
        },
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    diagnosis = check([tmp_path])
    text = " ".join(render(diagnosis, cwd=str(tmp_path)).split())
    assert "a.ipynb cell 2:4 4 │ loss.backward()" in text
    assert "step (line 5 of cell 2)" in text
    assert "line 2 of" not in text
    (found,) = as_object(diagnosis)["findings"]
    assert "(line 5 of cell 2)" in found["message"]


def test_nothing_found_says_what_was_examined(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    text = render(check([tmp_path]))
    assert "Nothing wrong found" in text
    assert "1 file" in text
