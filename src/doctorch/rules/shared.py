"""Small things that many rules use."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from doctorch.findings import Place
from doctorch.records.reader import Fact


def place_of(fact: Fact) -> Place | None:
    """The line of a fact."""
    return site_place({"file": fact.file, "line": fact.line})


def site_place(site: Mapping[str, Any] | None) -> Place | None:
    """The line of a site of the record, or None where it is not known."""
    if not site or not site.get("file") or not site.get("line"):
        return None
    return Place(str(site["file"]), int(site["line"]))


def related(*places: Place | None) -> tuple[Place, ...]:
    """The places that are known, each once."""
    return tuple(dict.fromkeys(place for place in places if place is not None))


def shape_text(shape: Any) -> str:
    """``(64, 1)``; ``(64,)``."""
    sizes = [str(size) for size in shape or ()]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def call_of(node: ast.AST, method: str) -> ast.Call | None:
    """The call ``….method(…)`` that a statement consists of, or None."""
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == method:
        return value
    return None
