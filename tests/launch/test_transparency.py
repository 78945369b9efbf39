"""What a script can see of its own process is as without doctorch."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from launchbench import Bench

LOOK = """
import sys
modules = sorted(sys.modules)
import ctypes, os
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(repr({
    "modules": modules, "environ": dict(os.environ), "order": list(os.environ), "argv": sys.argv, "orig_argv": sys.orig_argv,
    "name": __name__, "file": __file__, "loader": type(__loader__).__name__, "spec": repr(__spec__), "cwd": os.getcwd(),
    "path": sys.path, "path_cache": sorted(sys.path_importer_cache),
    "hooks": [repr(type(f)) for f in sys.meta_path if "sitecustomize" not in repr(f)],
    "flags": repr(sys.flags), "executable": sys.executable, "prefix": sys.prefix,
    "c environment": [getenv(n) for n in (b"PYTHONPATH", b"DOCTORCH_SETTINGS", b"DOCTORCH_ROOT", b"DOCTORCH_PYTHONPATH", b"HOME")],
    "descriptors": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else [],
    "group": os.getpgrp() == os.getpgid(os.getppid()),
    "stack": len(list(iter(lambda f=[sys._getframe()]: f.append(f[-1].f_back) or f[-1], None))),
}))
"""

PYTHONPATHS = {"unset": None, "empty": "", "a folder": "/nonexistent-folder", "two": f"/nonexistent-a{os.pathsep}/nonexistent-b"}


def seen(output: bytes) -> dict[str, Any]:
    value = ast.literal_eval(output.decode())
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("pythonpath", PYTHONPATHS.values(), ids=PYTHONPATHS.keys())
def test_the_process_looks_plain(bench: Bench, pythonpath: str | None) -> None:
    if os.environ.get("PYTHONPATH"):  # run from a source tree that is not installed: it must stay on the path
        pythonpath = os.pathsep.join(filter(None, [pythonpath, os.environ["PYTHONPATH"]]))
    name = bench.script(LOOK)
    plain = seen(bench.plain(name, "a", env={"PYTHONPATH": pythonpath}).stdout)
    watched = seen(bench.watched("-q", name, "a", env={"PYTHONPATH": pythonpath}).stdout)
    assert watched == plain


def test_open_descriptors_reach_the_script(bench: Bench) -> None:
    name = bench.script("import os, sys; os.write(int(sys.argv[1]), b'heard')")
    reader, writer = os.pipe()
    try:
        assert bench.watched("-q", name, str(writer), pass_fds=(writer,)).code == 0
        os.close(writer)
        assert os.read(reader, 100) == b"heard"
    finally:
        os.close(reader)


def test_a_sitecustomize_of_the_user_runs(bench: Bench) -> None:
    own = bench.folder / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text(
        "import builtins, sys; builtins.mark = __file__, __name__, sys.modules[__name__].__spec__.name", encoding="utf-8"
    )
    name = bench.script("import builtins, sitecustomize; print(builtins.mark, sitecustomize.__file__)")
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, [str(own), os.environ.get("PYTHONPATH")]))}
    plain = bench.plain(name, env=environment)
    assert str(own) in plain.stdout.decode()
    assert bench.watched("-q", name, env=environment).stdout == plain.stdout


PRINT = "'import os; print(sorted(os.environ.items()))'"

CHILDREN = {
    "shell": "import subprocess; subprocess.run(['sh', '-c', 'env | sort'])",
    "os.system": "import os; os.system('env | sort')",
    "python": "import subprocess, sys; subprocess.run([sys.executable, '-c', " + PRINT + "])",
    "python with an environment": (
        "import os, subprocess, sys\n"
        "env = {'A': '1', 'PATH': os.environ['PATH'], 'PYTHONPATH': '/x'}\n"
        "subprocess.run([sys.executable, '-c', 'import os, sys; print(sorted(os.environ.items()), sys.path)'], env=env)"
    ),
    "isolated python": "import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', " + PRINT + "])",
    "posix_spawn": "import subprocess, sys; subprocess.run([sys.executable, '-c', " + PRINT + "], close_fds=False)",
    "spawn": (
        "import multiprocessing as m, os\n"
        "def f(): print(sorted(os.environ.items()))\n"
        "if __name__ == '__main__':\n  p = m.get_context('spawn').Process(target=f); p.start(); p.join()"
    ),
}


@pytest.mark.parametrize("script", CHILDREN.values(), ids=CHILDREN.keys())
def test_child_processes_see_the_plain_environment(bench: Bench, script: str) -> None:
    name = bench.script(script)
    plain, watched = bench.plain(name), bench.watched("-q", name)
    # The shell counts itself in and names its last command in these.
    drop = (b"_=", b"SHLVL=")
    lines = [[line for line in done.stdout.splitlines() if not line.startswith(drop)] for done in (plain, watched)]
    assert lines[0] == lines[1] != []
    assert watched.stderr == plain.stderr == b""


# A file of this name beside the script is imported as torch: enough to see whether the hook fires, in milliseconds.
FAKE_TORCH = "x = 1"


def hook_fired(bench: Bench) -> int:
    """In how many processes the observers were called: with this torch they fail, and say so in the record."""
    return sum(
        (record / "observer-error.txt").read_text(encoding="utf-8").count("process ")
        for record in bench.records
        if (record / "observer-error.txt").exists()
    )


def test_failing_observers_are_not_in_the_way(bench: Bench) -> None:
    bench.script(FAKE_TORCH, "torch.py")
    name = bench.script("import sys, torch; print(torch.x, type(torch.__spec__).__mro__, [type(f).__name__ for f in sys.meta_path])")
    plain, watched = bench.plain(name), bench.watched("-q", name)
    assert (watched.code, watched.stdout, watched.stderr) == (0, plain.stdout, b"")
    assert hook_fired(bench) == 1


def test_a_torch_that_cannot_be_imported_fails_as_plain(bench: Bench) -> None:
    bench.script("def f():\n    raise ImportError('libtorch.so: cannot open')\nf()\n", "torch.py")
    name = bench.script("try:\n    import torch\nexcept ImportError as e:\n    print(e)\nimport torch\n")
    plain, watched = bench.plain(name), bench.watched("-q", name)
    assert (watched.code, watched.stdout, watched.stderr) == (plain.code, plain.stdout, plain.stderr)
    assert b"libtorch.so" in plain.stderr
    assert hook_fired(bench) == 0


DESCENDANTS = {
    "subprocess": "import subprocess, sys; subprocess.run([sys.executable, 'child.py'])",
    "subprocess with an environment": (
        "import os, subprocess, sys\nsubprocess.run([sys.executable, 'child.py'], env={**os.environ, 'PYTHONPATH': '.'})"
    ),
    "subprocess by name": (
        "import os, subprocess, sys\nsubprocess.run(['python', 'child.py'], env={**os.environ, 'PATH': os.path.dirname(sys.executable)})"
    ),
    "posix_spawn": "import subprocess, sys; subprocess.run([sys.executable, 'child.py'], close_fds=False)",
    "spawn": (
        "import multiprocessing as m\n"
        "def f(): import torch; print(torch.x)\n"
        "if __name__ == '__main__':\n  p = m.get_context('spawn').Process(target=f); p.start(); p.join()"
    ),
    "a child of a child": (
        "import subprocess, sys\n"
        "inner = 'import subprocess, sys; subprocess.run([sys.executable, \"child.py\"])'\n"
        "subprocess.run([sys.executable, '-c', inner])"
    ),
    "a script with a first line": (
        "import os, subprocess, sys\n"
        "open('tool', 'w').write('#!' + sys.executable + '\\nimport torch; print(torch.x)')\n"
        "os.chmod('tool', 0o755)\nsubprocess.run(['./tool'])"
    ),
}


@pytest.mark.parametrize("script", DESCENDANTS.values(), ids=DESCENDANTS.keys())
def test_descendants_are_observed(bench: Bench, script: str) -> None:
    bench.script(FAKE_TORCH, "torch.py")
    bench.script("import torch; print(torch.x)", "child.py")
    watched = bench.watched("-q", bench.script(script))
    assert (watched.code, watched.stdout, watched.stderr) == (0, b"1\n", b"")
    assert hook_fired(bench) == 1


@pytest.mark.parametrize("flag", ["-I", "-E", "-S"])
def test_what_python_cannot_observe_is_said(bench: Bench, flag: str) -> None:
    name = bench.script("import os; print(os.environ.get('DOCTORCH_SETTINGS'))")
    if flag != "-E" and os.environ.get("PYTHONPATH"):
        pytest.skip("doctorch is not installed here, only on PYTHONPATH")
    boot = f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}; sys.argv[0] = 'doctorch'; from doctorch.cli import main; main()"
    done = bench.command([sys.executable, flag, "-c", boot, "run", "-q", name])
    assert (done.code, done.stdout) == (0, b"None\n")
    assert f"started with {flag}".encode() in done.stderr


def test_doctorch_comes_from_where_the_parent_runs(bench: Bench) -> None:
    """A folder of the user's that is called doctorch is not mistaken for it."""
    (bench.folder / "doctorch").mkdir()
    (bench.folder / "doctorch" / "__init__.py").write_text("raise RuntimeError('the wrong one')", encoding="utf-8")
    bench.script(FAKE_TORCH, "torch.py")
    name = bench.script("import torch")
    start = f"import sys; sys.path = [p for p in sys.path if p]; sys.path[:0] = {[p for p in sys.path if p and Path(p).name != 'launch']!r}"
    done = bench.command(
        [sys.executable, "-c", f"{start}; sys.argv[0] = 'doctorch'; from doctorch.cli import main; main()", "run", "-q", name]
    )
    assert (done.code, done.stderr) == (0, b"")
    (record,) = bench.records
    assert "the wrong one" not in (record / "observer-error.txt").read_text(encoding="utf-8")
