"""The finding on an operator that made no number of numbers."""

from __future__ import annotations

from doctorch.findings import Finding, Severity, Value
from doctorch.rules.api import Rule
from doctorch.rules.numbers.first import First
from doctorch.rules.shared import related, site_place

EXPLAINS = ("loss-diverges", "loss-plateau", "lr-too-high", "exploding-gradients")


NAMES = {
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "linalg_vector_norm": "norm",
    "_cdist_forward": "cdist",
    "_to_copy": "the cast",
}
"""What people call some of torch's inner operators."""


def shown_op(op: str) -> str:
    """The operator's name as people write it."""
    return NAMES.get(op, op.removesuffix("_forward").rstrip("_"))


def operator_finding(
    rule: Rule, found: First, message: str | None = None, why: str = "mechanism", fix: str = "guard"
) -> Finding:  # fmt: skip
    """``forward`` and ``backward`` are the messages of its page: the operator's result, or its gradient, was none."""
    given = found.given
    backward = next((fact for fact in found.fact.process.facts("backward")), None)
    values: dict[str, Value] = {
        "op": shown_op(found.op),
        "step": found.step + 1,
        "given": given[-1] if given else found.low(),
        "low": found.low(),
        "high": found.high(),
        "count": int(found.event.get("count") or 1),
        "sample": found.where,
        "loss": str(found.fact.get("loss")),
    }
    place = found.place
    return Finding(
        rule=rule.id,
        severity=Severity.WARNING if found.survived else Severity.ERROR,
        message=message or ("backward" if found.backward else "forward"),
        values=values,
        place=place,
        related=related(site_place({"file": backward.file, "line": backward.line}) if backward is not None else None),
        why=why,
        fix=fix,
        explains=EXPLAINS,
        confidence=0.8 if found.fact.get("poisoned") else 0.95,
        certain_now=not found.fact.get("poisoned"),
    )
