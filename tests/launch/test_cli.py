"""The command line itself."""

from __future__ import annotations

import subprocess
import sys

import pytest
from launchbench import Bench

import doctorch
from doctorch.cli import end_options_after_module
from doctorch.commands._say import FailOn, fails
from doctorch.rules import registry

MEASURED = True


def test_version(bench: Bench) -> None:
    assert bench.doctorch("--version").stdout.decode() == f"doctorch {doctorch.__version__}\n"


def test_help_names_the_commands(bench: Bench) -> None:
    done = bench.doctorch("--help")
    assert done.code == 0
    for name in ("run", "diagnose", "check", "explain", "data", "demo"):
        assert f"\n  {name} ".encode() in done.stdout
        assert bench.doctorch(name, "--help").code == 0


def test_help_imports_little() -> None:
    """What makes it fast: none of these is needed to print it."""
    code = """
import sys
sys.argv[1:] = ['--help']
from doctorch.cli import main
try: main()
except SystemExit: pass
print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    heavy = {
        "torch",
        "numpy",
        "sqlite3",
        "libcst",
        "psutil",
        "rich",
        "asyncio",
        "doctorch.diagnose",
        "doctorch.rules",
        "doctorch.launch",
        "doctorch.records",
    }
    assert not loaded & heavy


@pytest.mark.parametrize(
    ("given", "parsed"),
    [
        ("run -m mod --json x", "run -m mod -- --json x"),
        ("run --json o -mmod -q", "run --json o -m mod -- -q"),
        ("run --steps 3 -q -m a.b", "run --steps 3 -q -m a.b --"),
        ("run train.py -m x", "run train.py -m x"),
        ("run --json -m train.py", "run --json -m train.py"),
        ("run -m", "run -m --"),
        ("run -- -m", "run -- -m"),
        ("check -m", "check -m"),
        ("", ""),
    ],
)
def test_where_our_options_end(given: str, parsed: str) -> None:
    assert end_options_after_module(given.split()) == parsed.split()


@pytest.mark.parametrize(
    ("severities", "fail_on", "expected"),
    [
        (["error"], None, False),
        (["error"], FailOn.error, True),
        (["warning", "advice"], FailOn.error, False),
        (["warning"], FailOn.warning, True),
        (["error"], FailOn.warning, True),
        (["advice"], FailOn.warning, False),
        ([], FailOn.warning, False),
    ],
)
def test_fail_on(severities: list[str], fail_on: FailOn | None, expected: bool) -> None:
    assert fails(severities, fail_on) is expected


def test_explain_prints_the_page_of_each_rule(bench: Bench) -> None:
    listed = bench.doctorch("explain").stdout.decode().splitlines()
    assert [line.split()[0] for line in listed] == sorted(registry.rules())
    rule = listed[0].split()[0]
    done = bench.doctorch("explain", rule)
    assert done.code == 0
    assert registry.page(rule).title in done.stdout.decode()
    assert registry.page(rule).text.strip() in done.stdout.decode()


def test_explain_names_a_near_rule(bench: Bench) -> None:
    rule = sorted(registry.rules())[0]
    done = bench.doctorch("explain", rule[:-1])
    assert done.code == 2
    assert f"Did you mean {rule}?" in done.stderr.decode()


@pytest.mark.parametrize("command", ["explain", "data"])
def test_what_is_not_known_yet_is_said(bench: Bench, command: str) -> None:
    (bench.folder / "file.txt").write_text("RuntimeError: something\n", encoding="utf-8")
    done = bench.doctorch(command, "--json", "out.json", "file.txt")
    assert (done.code, len(done.stdout.splitlines())) == (0, 1)
    answer = bench.json()
    assert (answer["schema"], answer["findings"]) == (1, [])
    assert len(answer["problems"]) == 1


def test_check(bench: Bench) -> None:
    bench.script("x = 1\n", "a.py")
    assert bench.doctorch("check", "--json", "out.json", "a.py", "--fail-on", "warning").code == 0
    assert bench.json()["findings"] == []
    bench.script("x = (\n", "b.py")
    done = bench.doctorch("check", ".")
    assert done.code == 0
    assert b"b.py" in done.stdout
    (bench.folder / "c.txt").write_text("", encoding="utf-8")
    assert bench.doctorch("check", "c.txt").code == 2
