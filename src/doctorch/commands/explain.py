"""``doctorch explain``: the page of a rule, or what an error text means."""

from __future__ import annotations

from pathlib import Path

import typer

from doctorch.commands._say import empty_answer, refuse, write_answer


def explain(
    subject: str | None = typer.Argument(
        None, metavar="[RULE or FILE]", help="A rule's id, or a file with an error text.", show_default=False
    ),
    json_file: Path | None = typer.Option(None, "--json", metavar="FILE", help="Write the answer as JSON."),
) -> None:
    """Explain a rule, or an error text in a file. Without a subject, list the rules."""
    from doctorch.rules import registry

    rules = registry.rules()
    if subject is None:
        width = max(map(len, rules))
        for rule_id, entry in sorted(rules.items()):
            print(f"{rule_id:<{width}}  {entry.rule.severity.label:<7}  {entry.rule.title}")
        return
    if subject in rules:
        _print_page(subject)
        if not write_answer(json_file, empty_answer()):
            raise typer.Exit(1)
        return
    path = Path(subject)
    if not path.is_file():
        near = _nearest(subject, list(rules))
        hint = f" Did you mean {near}?" if near else " `doctorch explain` lists the rules."
        raise refuse(f"{subject} is neither a rule nor a file.{hint}", json_file)
    try:
        with open(path, "rb") as file:
            file.read(1)
    except OSError as error:
        raise refuse(f"{path} cannot be read ({error.strerror or error}).", json_file) from None
    sentence = f"no error text that this version knows was looked for in {path}: it explains rules only so far."
    print(f"doctorch: {sentence}")
    if not write_answer(json_file, empty_answer(sentence)):
        raise typer.Exit(1)


def _print_page(rule_id: str) -> None:
    import sys

    from doctorch.rules import registry

    page, rule = registry.page(rule_id), registry.rules()[rule_id].rule
    text = f"# {page.title}\n\n`{rule_id}`, {rule.severity.label}\n\n{page.text}"
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console(width=min(Console().width, 100))
        console.print(Markdown(text))
    else:
        print(text, end="")


def _nearest(word: str, known: list[str]) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(word, known, n=1)), None)
