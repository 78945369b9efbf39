"""The command line. Importing it costs little: each command imports what it needs when it is called."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import typer

import doctorch
from doctorch.commands import check, data, demo, diagnose, explain, run

app = typer.Typer(
    name="doctorch",
    help="A doctor for PyTorch training: watches an unmodified script, says what is wrong, on which line, and why.",
    no_args_is_help=True,
    add_completion=False,
    # Plain help: rich would double the time to print it.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
# What follows the script belongs to the script, also where it looks like an option of ours.
app.command("run", context_settings={"allow_interspersed_args": False})(run.run)
app.command("diagnose")(diagnose.diagnose)
app.command("check")(check.check)
app.command("explain")(explain.explain)
app.command("data")(data.data)
app.command("demo")(demo.demo)


def _version(given: bool) -> None:
    if given:
        print(f"doctorch {doctorch.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True, callback=_version),
) -> None:
    """Options of doctorch itself."""


def end_options_after_module(args: Sequence[str]) -> list[str]:
    """Put ``--`` behind ``run … -m module``: like Python, ``-m`` ends our options and the rest belongs to the module."""
    words = list(args)
    if not words or words[0] != "run":
        return words
    takes_value = {"--steps", "--json", "--fail-on", "--stop-on", "--record"}
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        if words[at] == "-m":
            return [*words[: at + 2], "--", *words[at + 2 :]]
        if words[at].startswith("-m"):
            return [*words[:at], "-m", words[at][2:], "--", *words[at + 1 :]]
        at += 2 if words[at] in takes_value else 1
    return words


def main() -> None:
    """Entry point of ``doctorch`` and ``python -m doctorch``."""
    # A shell may close them (2>&-); what is said then goes nowhere, and not into a file that got the number.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.StringIO())
    app(args=end_options_after_module(sys.argv[1:]), prog_name="doctorch")
