"""``doctorch check``: the part of the diagnosis that needs no run."""

from __future__ import annotations

from pathlib import Path

import typer

from doctorch.commands._say import FOUND, FailOn, fails, refuse, refuse_all, write_answer


def check(
    paths: list[Path] = typer.Argument(..., metavar="PATH...", help="Python files, notebooks or folders.", show_default=False),
    json_file: Path | None = typer.Option(None, "--json", metavar="FILE", help="Write the findings as JSON."),
    fail_on: FailOn | None = typer.Option(None, "--fail-on", help="Exit with 3 when there is such a finding."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing."),
) -> None:
    """Look for faults that the source alone shows, without running anything."""
    import sys

    from doctorch import diagnose
    from doctorch.commands._answer import severities
    from doctorch.report.json import as_object
    from doctorch.report.terminal import show

    for path in paths:
        if not path.exists():
            raise refuse(f"there is no file or folder {path}.", json_file)
        if path.is_file() and path.suffix not in (".py", ".pyw", ".ipynb"):
            raise refuse(f"{path} is neither a Python file nor a notebook.", json_file)
    diagnosis = diagnose.check(paths)
    if not diagnosis.files:
        problems = diagnosis.problems or (f"there is no Python file and no notebook in {', '.join(map(str, paths))}.",)
        raise refuse_all(problems, json_file)
    if not quiet:
        show(diagnosis, sys.stdout)
    written = write_answer(json_file, as_object(diagnosis))
    raise typer.Exit(1 if not written else FOUND if fails(severities(diagnosis), fail_on) else 0)
