"""From a run folder to what is printed and written."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doctorch.commands._say import empty_answer, note, write_answer

if TYPE_CHECKING:
    from doctorch.diagnose import Diagnosis


def diagnosis_of(folder: Path) -> Diagnosis:
    """All rules over a record. Raises RecordError for a folder that holds none."""
    from doctorch.diagnose import diagnose
    from doctorch.records.reader import Run

    run = Run(folder)
    try:
        return diagnose(run)
    finally:
        run.close()


def answer_for_folder(folder: Path | None, json_file: Path | None, quiet: bool, problems: list[str]) -> list[str]:
    """Diagnose, write the JSON, print on stderr. Whatever fails here is said in one sentence, and a JSON file is written all the same.

    Returns the severities of the findings.

    Raises:
        KeyboardInterrupt: the user had enough of waiting.
    """
    from doctorch.records.reader import RecordError

    answer: dict[str, Any] = {}
    try:
        if folder is None:
            raise RecordError(problems[0] if problems else "there is no record.")
        diagnosis = diagnosis_of(folder)
        from doctorch.report.json import as_object

        answer = as_object(diagnosis)
    except RecordError as error:
        sentence = str(error)
        if sentence not in problems:
            note(sentence)
        answer = empty_answer(sentence)
        return []
    except Exception as error:
        sentence = f"the diagnosis failed ({type(error).__name__}: {error}){_kept(folder)}."
        note(sentence)
        answer = empty_answer(sentence)
        return []
    finally:
        write_answer(json_file, answer or empty_answer("the diagnosis was cut short."))
    if not quiet:
        _show(diagnosis, folder)
    return severities(diagnosis)


def _show(diagnosis: Diagnosis, folder: Path) -> None:
    """Print on stderr; a reader that went away (``2>&1 | head``) is nothing to speak of."""
    from doctorch.report.terminal import show

    try:
        show(diagnosis, sys.stderr)
    except OSError:
        pass
    except Exception as error:
        note(f"the diagnosis cannot be shown ({type(error).__name__}: {error}){_kept(folder)}.")


def severities(diagnosis: Diagnosis) -> list[str]:
    """The severities of the findings that count: those that no other finding explains."""
    return [found.finding.severity.label for found in diagnosis.causes]


def _kept(folder: Path | None) -> str:
    """Keep the traceback of a failure of ours beside the record; returns the words that say where."""
    if folder is None:
        return ""
    path = folder / "doctorch-error.txt"
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(traceback.format_exc())
    except OSError:
        return ""
    return f"; details in {path}"
