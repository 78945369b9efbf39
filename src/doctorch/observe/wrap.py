"""Putting a wrapper where the original was."""

from __future__ import annotations

from typing import Any


def put(owner: Any, name: str, function: Any) -> None:
    """Replace an attribute of a module or class of torch's. Its type cannot be checked: a wrapper takes whatever comes."""
    setattr(owner, name, function)
