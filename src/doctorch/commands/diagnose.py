"""``doctorch diagnose``: all rules again on a record."""

from __future__ import annotations

from pathlib import Path

import typer

from doctorch.commands._say import FOUND, FailOn, fails, refuse, write_answer


def diagnose(
    folder: Path | None = typer.Argument(None, metavar="[RUN]", help="A run folder; by default the newest in .doctorch."),
    json_file: Path | None = typer.Option(None, "--json", metavar="FILE", help="Write the diagnosis as JSON."),
    fail_on: FailOn | None = typer.Option(None, "--fail-on", help="Exit with 3 when there is such a finding."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing."),
) -> None:
    """Apply all rules again to the record of an earlier run."""
    import sys

    from doctorch.commands._answer import diagnosis_of, severities
    from doctorch.launch.folder import newest_folder
    from doctorch.records.reader import RecordError
    from doctorch.report.json import as_object
    from doctorch.report.terminal import show

    chosen = folder if folder is not None else newest_folder(Path.cwd())
    if chosen is None:
        raise refuse("there is no record in .doctorch here; make one with `doctorch run train.py`, or name a run folder.", json_file)
    try:
        diagnosis = diagnosis_of(chosen)
    except RecordError as error:
        raise refuse(str(error), json_file) from None
    if not quiet:
        show(diagnosis, sys.stdout)
    written = write_answer(json_file, as_object(diagnosis))
    raise typer.Exit(1 if not written else FOUND if fails(severities(diagnosis), fail_on) else 0)
