"""The turns of the loop as the rules on the order of calls read them."""

from __future__ import annotations

from collections.abc import Callable

from doctorch.findings import Place
from doctorch.records.reader import Fact, Process
from doctorch.rules.shared import site_place

MIN_TURNS = 3
"""Turns that must show a pattern: one or two happen where a loop starts anew."""
MOST = 0.9
"""Share of the turns that must show it: then it is how the loop is written."""


def turns(process: Process) -> list[Fact]:
    """The patterns seen, the most frequent first."""
    return sorted(process.facts("turn"), key=lambda fact: -fact.count)


def usual(process: Process, holds: Callable[[Fact], bool], least: int = MIN_TURNS) -> tuple[Fact, int, int] | None:
    """The most frequent pattern that a condition holds for, how many turns it holds for and how many were seen; None unless nearly all."""
    seen = turns(process)
    matching = [fact for fact in seen if holds(fact)]
    number, total = sum(fact.count for fact in matching), sum(fact.count for fact in seen)
    if number < least or number < MOST * total:
        return None
    return matching[0], number, total


def call_site(fact: Fact, letter: str) -> Place | None:
    """Where a call of the pattern stands."""
    return site_place((fact.get("sites") or {}).get(letter))
