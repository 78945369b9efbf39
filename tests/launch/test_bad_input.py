"""What a person can get wrong, and what a machine can: one clear sentence, and the script's own outcome untouched."""

from __future__ import annotations

import json
import resource
import sqlite3
from pathlib import Path

import pytest
from launchbench import Bench


def own_lines(stderr: bytes) -> list[str]:
    return [line for line in stderr.decode().splitlines() if line.startswith("doctorch: ")]


def test_no_script(bench: Bench) -> None:
    done = bench.watched("--json", "out.json", "nothere.py", "--epochs", "3")
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr.decode().strip() == f"doctorch: there is no script nothere.py (looked in {bench.folder})."
    assert bench.json()["findings"] == []
    assert not bench.records


def test_nothing_to_run(bench: Bench) -> None:
    done = bench.watched()
    assert (done.code, len(own_lines(done.stderr)), done.stderr.count(b"\n")) == (2, 1, 1)


def test_a_folder_without_main(bench: Bench) -> None:
    (bench.folder / "project").mkdir()
    done = bench.watched("project")
    assert (done.code, len(own_lines(done.stderr))) == (2, 1)
    (bench.folder / "project" / "__main__.py").write_text("print('inside')", encoding="utf-8")
    assert bench.watched("-q", "project").stdout == b"inside\n"


def test_a_script_without_torch(bench: Bench) -> None:
    done = bench.watched(bench.script("print('hello')"))
    assert (done.code, done.stdout) == (0, b"hello\n")
    assert b"before it imported torch" in done.stderr


def test_an_unknown_option(bench: Bench) -> None:
    done = bench.watched("--nonsense", bench.script("print(1)"))
    assert (done.code, done.stdout) == (2, b"")
    assert b"--nonsense" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("words", [("--steps", "0"), ("--steps", "x"), ("--fail-on", "advice"), ("--json",)])
def test_wrong_values(bench: Bench, words: tuple[str, ...]) -> None:
    done = bench.watched(*words)
    assert done.code == 2
    assert b"Traceback" not in done.stderr


def test_a_place_for_records_that_cannot_be_made(bench: Bench) -> None:
    """root may write everywhere, so a file stands in the way."""
    (bench.folder / ".doctorch").write_text("in the way", encoding="utf-8")
    done = bench.watched("--json", "out.json", bench.script("import sys; print('ran'); sys.exit(3)"))
    assert (done.code, done.stdout) == (3, b"ran\n")
    (sentence,) = own_lines(done.stderr)
    assert "cannot be written" in sentence
    elsewhere = Path(sentence.rpartition("goes to ")[2].rstrip("."))
    assert (elsewhere / "manifest.json").exists()
    assert bench.json()["run"]["exit_code"] == 3


def test_no_place_for_records_at_all(bench: Bench) -> None:
    (bench.folder / ".doctorch").write_text("in the way", encoding="utf-8")
    name = bench.script("import os, sys; print('ran', 'DOCTORCH_SETTINGS' in os.environ); sys.exit(3)")
    code = f"""
import sys, tempfile
def fails(*a, **k): raise PermissionError(13, 'Permission denied')
tempfile.mkdtemp = fails
sys.argv = ['doctorch', 'run', '--json', 'out.json', {name!r}]
from doctorch.cli import main
main()
"""
    done = bench.plain("-c", code)
    assert (done.code, done.stdout) == (3, b"ran False\n")
    assert own_lines(done.stderr) == ["doctorch: no writable folder was found for the record, so the script runs unobserved."]
    assert bench.json()["findings"] == []


def test_a_full_disk(bench: Bench) -> None:
    """No file may grow, which fails like a full disk. Output goes through pipes and is not touched by it."""

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    name = bench.script("import sys; print('ran'); sys.exit(5)")
    done = bench.watched("--json", "out.json", name, preexec_fn=fill)
    assert (done.code, done.stdout) == (5, b"ran\n")
    sentences = own_lines(done.stderr)
    assert 1 <= len(sentences) <= 3
    assert any("out.json cannot be written" in sentence for sentence in sentences)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["nofolder/out.json", "/dev/full"])
def test_an_answer_that_cannot_be_written(bench: Bench, target: str) -> None:
    done = bench.watched("-q", "--json", target, bench.script("print('ran')"))
    assert (done.code, done.stdout) == (0, b"ran\n")
    (sentence,) = own_lines(done.stderr)
    assert sentence.startswith(f"doctorch: {target if target.startswith('/') else bench.folder / target} cannot be written (")


def test_an_answer_on_standard_output(bench: Bench) -> None:
    done = bench.watched("-q", "--json", "/dev/stdout", bench.script("pass"))
    assert json.loads(done.stdout)["findings"] == []


def test_a_closed_stderr(bench: Bench) -> None:
    done = bench.command(["sh", "-c", f"'{bench.python}' -m doctorch run --json out.json {bench.script('print(1)')} 2>&-"])
    assert (done.code, done.stdout) == (0, b"1\n")
    assert bench.json()["findings"] == []


DAMAGE = {
    "no database": b"this is no database, it is a line of text " * 30,
    "cut short": b"SQLite format 3\x00" + bytes(50),
    "empty": b"",
}


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_record(bench: Bench, content: bytes) -> None:
    script = (
        f"import glob, sys; open(glob.glob('.doctorch/2*')[0] + '/process-1-0.sqlite', 'wb').write({content!r}); print('ran'); sys.exit(4)"
    )
    done = bench.watched("--json", "out.json", bench.script(script))
    assert (done.code, done.stdout) == (4, b"ran\n")
    assert b"process-1-0.sqlite" in done.stderr
    assert b"Traceback" not in done.stderr
    assert bench.json()["run"]["damaged"]


def test_a_record_of_a_newer_version(bench: Bench) -> None:
    bench.watched("-q", bench.script("pass"))
    (record,) = bench.records
    connection = sqlite3.connect(record / "process-1-0.sqlite")
    connection.execute("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)")
    connection.execute("INSERT INTO meta VALUES('schema', '99')")
    connection.commit()
    connection.close()
    done = bench.doctorch("diagnose", str(record))
    assert b"version 99" in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words", [("diagnose",), ("diagnose", "nothere"), ("check", "nothere.py"), ("explain", "nothere"), ("data", "nothere")]
)
def test_other_commands(bench: Bench, words: tuple[str, ...]) -> None:
    done = bench.doctorch(*words, "--json", "out.json")
    assert (done.code, done.stdout) == (2, b"")
    assert (len(own_lines(done.stderr)), done.stderr.count(b"\n")) == (1, 1)
    assert bench.json()["findings"] == []


@pytest.mark.parametrize(("name", "text"), [("a.ipynb", "no JSON"), ("a.py", "def f(:\n"), ("a.txt", "")])
def test_check_of_nothing_that_can_be_read(bench: Bench, name: str, text: str) -> None:
    (bench.folder / "code").mkdir()
    (bench.folder / "code" / name).write_text(text, encoding="utf-8")
    done = bench.doctorch("check", "code", "--json", "out.json")
    assert (done.code, done.stdout) == (2, b"")
    (sentence,) = own_lines(done.stderr)
    assert bench.json()["problems"] == [sentence.removeprefix("doctorch: ")]


def test_check_of_some_that_can_be_read(bench: Bench) -> None:
    bench.script("def f(:\n", "a.py")
    bench.script("x = 1\n", "b.py")
    done = bench.doctorch("check", ".")
    assert (done.code, done.stderr) == (0, b"")
    assert "over 1\xa0file" in done.stdout.decode() or "over 1 file" in done.stdout.decode()
    assert b"a.py cannot be parsed" in b" ".join(done.stdout.split())


def test_a_manifest_that_is_no_json(bench: Bench) -> None:
    bench.watched("-q", bench.script("pass"))
    (record,) = bench.records
    (record / "manifest.json").write_text("{", encoding="utf-8")
    done = bench.doctorch("diagnose", str(record))
    assert (done.code, len(own_lines(done.stderr)), done.stderr.count(b"\n")) == (2, 1, 1)


def test_a_reader_that_goes_away(bench: Bench) -> None:
    """As in ``doctorch run … 2>&1 | head -1``."""
    command = f"'{bench.python}' -m doctorch run --json out.json {bench.script('print(1, flush=True)')} 2>&1 >/dev/null | true; exit 0"
    done = bench.command(["bash", "-c", command])
    assert done.stderr == b""
    assert bench.json()["run"]["exit_code"] == 0


def test_a_fault_of_ours_is_said_and_kept(bench: Bench) -> None:
    name = bench.script("import sys; print('ran'); sys.exit(6)")
    code = f"""
import sys
import doctorch.diagnose
def fails(run): raise ValueError('a fault of ours')
doctorch.diagnose.diagnose = fails
sys.argv = ['doctorch', 'run', '--json', 'out.json', {name!r}]
from doctorch.cli import main
main()
"""
    done = bench.plain("-c", code)
    assert (done.code, done.stdout) == (6, b"ran\n")
    (sentence,) = own_lines(done.stderr)
    assert sentence.startswith("doctorch: the diagnosis failed (ValueError: a fault of ours); details in ")
    assert b"Traceback" not in done.stderr
    (record,) = bench.records
    assert "a fault of ours" in (record / "doctorch-error.txt").read_text(encoding="utf-8")
    answer = bench.json()
    assert (answer["findings"], len(answer["problems"])) == ([], 1)


@pytest.mark.parametrize("remove", ["shutil.rmtree('.doctorch')", "[shutil.rmtree(p) for p in glob.glob('.doctorch/2*')]"])
def test_a_record_that_the_script_removes(bench: Bench, remove: str) -> None:
    done = bench.watched("--json", "out.json", bench.script(f"import glob, shutil, sys; {remove}; print('ran'); sys.exit(4)"))
    assert (done.code, done.stdout) == (4, b"ran\n")
    (sentence,) = own_lines(done.stderr)
    assert "was removed while the script ran, so nothing can be diagnosed." in sentence
    assert done.stderr.count(b"\n") == 1
    assert bench.json()["problems"] == [sentence.removeprefix("doctorch: ")]


def test_a_record_that_is_emptied(bench: Bench) -> None:
    empty = "[os.remove(p) for p in glob.glob('.doctorch/2*/*') if os.path.isfile(p)]"
    done = bench.watched(bench.script(f"import glob, os; {empty}"))
    (sentence,) = own_lines(done.stderr)
    assert "was removed while the script ran" in sentence


def test_a_script_that_cannot_be_parsed(bench: Bench) -> None:
    done = bench.watched(bench.script("import torch\ndef f(:\n"))
    assert done.code == 1
    assert "train.py cannot be parsed: invalid syntax, line 2." in " ".join(done.stderr.decode().split())
