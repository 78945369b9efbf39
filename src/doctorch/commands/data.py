"""``doctorch data``: what is wrong with a data file."""

from __future__ import annotations

from pathlib import Path

import typer

from doctorch.commands._say import empty_answer, refuse, write_answer


def data(
    file: Path = typer.Argument(..., metavar="FILE", help="A data file.", show_default=False),
    json_file: Path | None = typer.Option(None, "--json", metavar="FILE", help="Write the findings as JSON."),
) -> None:
    """Look for what is wrong with a data file."""
    if not file.is_file():
        raise refuse(f"there is no file {file}.", json_file)
    try:
        with open(file, "rb") as content:
            content.read(1)
    except OSError as error:
        raise refuse(f"{file} cannot be read ({error.strerror or error}).", json_file) from None
    sentence = f"{file} was not examined: this version has no rules for data files yet."
    print(f"doctorch: {sentence}")
    if not write_answer(json_file, empty_answer(sentence)):
        raise typer.Exit(1)
