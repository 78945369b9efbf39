"""label-shift: a language model's targets are not the next tokens: the same ones, or those after the next."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.shifts import Shift, ahead, shifts, target_lines
from doctorch.source.project import Project, project_of


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for process in run.training:
        found = list(shifts(process))
        for shift in found:
            finding = _judge(project, process, shift, found)
            if finding is not None:
                yield finding
                break


def _judge(project: Project, process: Process, shift: Shift, others: list[Shift]) -> Finding | None:
    offset = shift.offset
    if offset is None:
        return None
    if offset >= 2:
        for other in others:
            if other is shift or other.fact["root"] != shift.fact["root"] or other.offset not in (0, 1):
                continue
            # Heads that predict several tokens ahead are trained beside one that predicts the next. Another argument counts where the
            # model's answer moves with it: it is then no label that the model passes on to its loss.
            if other.fact["name"] == shift.fact["name"] or ahead(process, other) is not None:
                return None
        return _finding(project, shift, "twice", offset)
    if offset == 0:
        if any(other.fact["loss_call"] == shift.fact["loss_call"] and other.offset == 1 for other in others):
            return None  # teacher forcing: the other argument is the one that is shifted
        seen = ahead(process, shift)
        if seen is not None and seen.never and seen.own:  # an autoencoder, and a model of masked tokens, see the whole sequence
            return _finding(project, shift, "same", offset)
    return None


def _finding(project: Project, shift: Shift, message: str, offset: int) -> Finding:
    place, related = target_lines(project, shift)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={
            "share": shift.share(offset),
            "next_share": shift.share(1),
            "positions": int(shift.fact["positions"][str(offset)]),
            "offset": offset,
            "looks": int(shift.fact["looks"]),
        },
        place=place,
        related=related,
        why="copies" if message == "same" else "skips",
        fix="shift" if message == "same" else "once",
        ground="values",
        certain_now=True,
    )


RULE = Rule(
    id="label-shift",
    title="Targets are not the next tokens",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
)
