"""``doctorch run``: watch a training script that nobody has prepared, and say what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from doctorch.commands._say import FOUND, FailOn, fails, note, refuse

if TYPE_CHECKING:
    from doctorch.launch.session import Session
    from doctorch.launch.target import Target


def run(
    words: list[str] = typer.Argument(
        None,
        metavar="SCRIPT [ARGS]",
        help="The script and its arguments. All that follows the script belongs to it.",
        show_default=False,
    ),
    module: str | None = typer.Option(None, "-m", metavar="MODULE", help="Run a module instead, as `python -m` does."),
    steps: int | None = typer.Option(None, "--steps", min=1, metavar="N", help="Stop cleanly after N training steps."),
    json_file: Path | None = typer.Option(None, "--json", metavar="FILE", help="Write the diagnosis as JSON."),
    fail_on: FailOn | None = typer.Option(None, "--fail-on", help="Exit with 3 when there is such a finding."),
    stop_on: FailOn | None = typer.Option(None, "--stop-on", help="Stop the training at the first such finding that is certain."),
    record: Path | None = typer.Option(None, "--record", metavar="DIR", help="Folder of the record; by default a new one in .doctorch."),
    no_probes: bool = typer.Option(False, "--no-probes", help="Make no experiments on copies of the training."),
    probe_seconds: float = typer.Option(60.0, "--probe-seconds", min=1.0, metavar="S", help="Time that the training may wait for them."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but what went wrong in doctorch itself."),
    live: bool = typer.Option(False, "--live", help="Show one status line while the training runs."),
) -> None:
    """Watch an unmodified training script and say what is wrong with it.

    The exit code is the script's if that is not zero; else 3 when --fail-on is met; else 0.
    """
    from doctorch.commands._watching import Watcher
    from doctorch.launch.session import Wishes, watch
    from doctorch.launch.signals import Inbox
    from doctorch.launch.target import UsageError, this_interpreter

    json_file = json_file.absolute() if json_file is not None else None
    target = _target(words or [], module, json_file)
    watcher = Watcher(stop_on=stop_on, quiet=quiet, live=live)
    with Inbox().open() as inbox:
        try:
            target.check()
            session = watch(target, this_interpreter(), Wishes(record, steps, 0.0 if no_probes else probe_seconds), inbox, watcher)
        except UsageError as error:
            raise refuse(str(error), json_file) from None
        except OSError as error:
            raise refuse(f"Python could not be started for {target.name} ({error.strerror or error}).", json_file) from None
        try:
            met = _diagnose(session, json_file, fail_on, quiet, removed=watcher.removed)
        except KeyboardInterrupt:
            note(f"the diagnosis was cut short; `doctorch diagnose {session.folder.path if session.folder else ''}` makes it again.")
            met = False
    _leave(session, met)


def _target(words: list[str], module: str | None, json_file: Path | None) -> Target:
    from doctorch.launch.target import Target

    if module is not None:
        return Target(module, True, tuple(words))
    if not words:
        raise refuse("give the script to run, for example `doctorch run train.py`.", json_file)
    return Target(words[0], False, tuple(words[1:]))


def _diagnose(session: Session, json_file: Path | None, fail_on: FailOn | None, quiet: bool, *, removed: bool) -> bool:
    """Print and write what the record says. Returns whether ``--fail-on`` is met."""
    from doctorch.commands._answer import answer_for_folder
    from doctorch.commands._say import empty_answer, write_answer

    if removed and session.folder is not None:
        # In place of the session's own problems: that the end could not be written there follows from it.
        sentence = f"the run folder {session.folder.path} was removed while the script ran, so nothing can be diagnosed."
        note(sentence)
        write_answer(json_file, empty_answer(sentence))
        return False
    for problem in session.problems:
        note(problem)
    if not session.speaks:
        return False
    folder = session.folder.path if session.folder is not None else None
    return fails(answer_for_folder(folder, json_file, quiet, session.problems), fail_on)


def _leave(session: Session, met: bool) -> None:
    """Exit as the child did."""
    from doctorch.launch.signals import repeat_death

    outcome = session.outcome
    if outcome.signal is not None:
        repeat_death(outcome.signal)
        raise typer.Exit(128 + outcome.signal)
    raise typer.Exit(outcome.code or (FOUND if met else 0))
