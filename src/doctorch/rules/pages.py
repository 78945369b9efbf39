"""The page of a rule: a front matter with the sentences a person reads, then the text for people.

A page looks so; continuation lines of a sentence are indented::

    ---
    title: Gradients are never cleared
    never: At {stale} of {checked} steps the gradients of earlier steps
      were still there.
    ---
    Text in Markdown.

``never`` is a message id. What stands in braces is a value of the finding, formatted as ``doctorch.report.messages`` describes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_KEY = re.compile(r"^([a-z][a-z0-9_-]*):\s*(.*)$")


class PageError(Exception):
    """A page that does not follow the form."""


@dataclass(frozen=True)
class Page:
    """A rule's page in one language."""

    title: str
    messages: Mapping[str, str]
    """Sentences by id, with the finding's values in braces."""
    text: str
    """The page for people, Markdown, without its first heading."""


def read_page(path: Path) -> Page:
    """Read and parse a page. Raises OSError, PageError."""
    head, text = _split(path)
    messages: dict[str, str] = {}
    key = ""
    for number, line in enumerate(head, 2):
        if line[:1].isspace() and key:
            messages[key] += " " + line.strip()
        elif match := _KEY.match(line):
            key = match.group(1)
            if key in messages:
                raise PageError(f"{path.name}:{number}: the message «{key}» is there twice")
            messages[key] = match.group(2).strip()
        elif line.strip():
            raise PageError(f"{path.name}:{number}: expected «id: sentence», found {line!r}")
    title = messages.pop("title", "")
    if not title:
        raise PageError(f"{path.name}: the page has no title")
    return Page(title, messages, text)


def _split(path: Path) -> tuple[list[str], str]:
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[0].strip() != "---" or "---" not in (line.strip() for line in lines[1:]):
        raise PageError(f"{path.name}: the page does not begin with a front matter between two lines ---")
    end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == "---")
    body = "\n".join(lines[end + 1 :]).strip()
    if body.startswith("# "):  # the heading for those who read the file as it is; elsewhere the title stands for it
        body = body.partition("\n")[2].strip()
    return lines[1:end], body + "\n"
