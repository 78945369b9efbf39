"""A script in a fork of the server ends and looks as in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from e2e.client import Server

SCRIPTS = {
    "identity": "import os, sys; print(sys.argv, __name__, os.path.basename(__file__), sys.path[0] == os.path.dirname(__file__), __spec__)",
    "text": "import sys; print('out'); sys.exit('a text')",
    "code": "import sys; sys.exit(3)",
    "large code": "import sys; sys.exit(300)",
    "exception": "def f():\n    raise ValueError('bad')\n\nprint('before')\nf()",
    "syntax error": "print('never')\nif:\n",
    "hook": """
import sys
sys.excepthook = lambda kind, error, trace: print('hook', kind.__name__, trace.tb_lineno, sys.last_value is error)
1 / 0""",
    "exit functions": "import atexit\natexit.register(print, 'first')\natexit.register(print, 'second')\nprint('end')",
    "thread": "import threading\nt = threading.Timer(0.05, print, ['late'])\nt.start()\nprint('end')",
    "dataclass": """
from __future__ import annotations
from dataclasses import dataclass
@dataclass
class A:
    x: int = 1
print(A(), A.__module__)""",
    "pickle": "import pickle\nclass A:\n    pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "hard exit": "import os, sys\nprint('flushed', flush=True)\nprint('lost')\nos._exit(5)",
    "killed": "import os, signal\nprint('flushed', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)",
    "input": "import sys\nprint(repr(sys.stdin.read()), sys.stdout.isatty())",
    "generator": "import torch\nprint(torch.rand(2, generator=torch.Generator().manual_seed(1)).tolist(), torch.initial_seed() > 0)",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_as_in_a_process_of_its_own(server: Server, tmp_path: Path, name: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPTS[name] + "\n", encoding="utf-8")
    own = subprocess.run([sys.executable, str(script), "a", "b c"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    ran = server.run(script, "a", "b c", observe=False)
    assert ran.stdout.decode() == own.stdout.decode()
    assert ran.stderr.decode() == own.stderr.decode()
    assert (-ran.signal if ran.signal else ran.code) == own.returncode


def test_scripts_do_not_see_each_other(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, torch\nprint(hasattr(torch, 'mark'), os.environ.get('MARK'))\ntorch.mark = 1\nos.environ['MARK'] = '1'\n",
        encoding="utf-8",
    )
    assert server.run(script, observe=False).stdout == b"False None\n"
    assert server.run(script, observe=True).stdout == b"False None\n"
    assert server.run(script, observe=False, env={"MARK": "given"}).stdout == b"False given\n"


def alive(pid: int) -> bool:
    """Whether the process is there and more than a zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_a_script_leaves_running_is_ended(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os, signal\npid = os.fork()\nif pid == 0:\n    signal.pause()\nprint(pid)\n", encoding="utf-8")
    pid = int(server.run(script, observe=False).stdout)
    while alive(pid):  # it was killed with its group and is dying
        os.sched_yield()
