"""However a script ends, it ends the same with doctorch around it."""

from __future__ import annotations

import signal

import pytest
from launchbench import Bench

ENDINGS = {
    "return": "print('done')",
    "no newline at the end": "import sys; sys.stdout.write('done')",
    "exception": "print('before'); raise ValueError('no')",
    "exit 3": "import sys; print('x'); sys.exit(3)",
    "exit with text": "import sys; sys.exit('text')",
    "exit None": "raise SystemExit",
    "os._exit": "import os; print('lost?', flush=True); os._exit(7)",
    "syntax error": "x = (",
    "killed": "import os, signal; print('x', flush=True); os.kill(os.getpid(), signal.SIGKILL)",
    "terminated": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "segmentation fault": "import faulthandler, os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "abort": "import os; os.abort()",
    "interrupt": "raise KeyboardInterrupt",
    "binary output": "import sys; sys.stdout.buffer.write(bytes(range(256)) * 300)",
    "closed stderr": "import os, sys; os.close(2); print('still here'); sys.exit(4)",
}


@pytest.mark.parametrize("script", ENDINGS.values(), ids=ENDINGS.keys())
def test_same_outcome(bench: Bench, script: str) -> None:
    name = bench.script(script)
    plain, watched = bench.plain(name), bench.watched("--json", "out.json", name)
    assert (watched.code, watched.stdout) == (plain.code, plain.stdout)
    assert watched.stderr.startswith(plain.stderr)
    assert b"Traceback" not in watched.stderr[len(plain.stderr) :]
    assert bench.json()["findings"] == []
    assert bench.watched("-q", name).stderr == plain.stderr


def test_the_manifest_says_how_it_ended(bench: Bench) -> None:
    bench.watched("-q", bench.script(ENDINGS["killed"]), "--lr", "1")
    manifest = bench.manifest
    assert (manifest["exit_code"], manifest["signal"], manifest["oom_killed"]) == (None, signal.SIGKILL, False)
    assert manifest["argv"] == ["--lr", "1"]
    assert manifest["ended"] >= manifest["started"]
    assert manifest["max_rss"] > 1024 * 1024


def test_a_module(bench: Bench) -> None:
    bench.script("import sys; print(sys.argv[1:], __name__, __spec__.name); sys.exit(5)", "mod.py")
    plain = bench.plain("-m", "mod", "--json", "x", "-m", "--", "-q")
    for words in (("-q", "-m", "mod"), ("-q", "-mmod")):
        watched = bench.watched(*words, "--json", "x", "-m", "--", "-q")
        assert (watched.code, watched.stdout, watched.stderr) == (5, plain.stdout, b"")
    assert not (bench.folder / "x").exists()


def test_all_behind_the_script_is_the_scripts(bench: Bench) -> None:
    name = bench.script("import sys; print(sys.argv)")
    words = ("--json", "mine", "--steps", "x", "--", "--help", "-m", "run")
    assert bench.watched("-q", name, *words).stdout == bench.plain(name, *words).stdout
    assert not (bench.folder / "mine").exists()


def test_standard_input_is_the_scripts(bench: Bench) -> None:
    name = bench.script("import sys; print(sys.stdin.read().upper())")
    assert bench.watched("-q", name, input=b"words\n").stdout == b"WORDS\n\n"
    assert bench.watched("-q", "-", input=b"print(6 * 7)").stdout == b"42\n"


def test_interpreter_options_are_kept(bench: Bench) -> None:
    name = bench.script("import sys; print(sys.flags, sys._xoptions, sys.warnoptions, sys.orig_argv[1:])")
    flags = ("-X", "dev", "-Wignore::UserWarning", "-uO")
    plain, watched = bench.plain(name, flags=flags), bench.watched("-q", name, flags=flags)
    assert watched.stdout == plain.stdout


def test_repeated_death_leaves_no_core_of_ours(bench: Bench) -> None:
    done = bench.watched("-q", bench.script(ENDINGS["abort"]))
    assert done.code == -signal.SIGABRT
