"""target-dtype: targets of a type or an encoding that the loss does not mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, shape_text
from doctorch.source import edits, query
from doctorch.source.project import Project

WANTS_INDICES = re.compile(
    r"expected target dtype to be Long|expected scalar type (Long|Byte) but found|not implemented for '(Int|Short|Char|Float|Double|Half)'"
)
"""torch's words where class indices of another type are given."""
WANTS_FLOATS = re.compile(
    r"Found dtype (Long|Int|Double|Half|Bool|Byte|Short|Char) but expected|result type Float can't be cast|"
    r"Expected floating point type for target|expected scalar type Float but found|Found dtype Float but expected (Long|Int)|"
    r"not implemented for '(Long|Bool)'|Negation, the `-` operator, on a bool tensor|does not support bool"
)
WANTS_ROW = re.compile(r"multi-target not supported|0D or 1D target tensor expected")
CLASSES = ("cross_entropy", "nll_loss")
SIGNED = frozenset(("soft_margin_loss", "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss"))
INTEGERS = frozenset(("int64", "int32", "int16", "int8", "uint8", "bool"))
MIN_ELEMENTS = 16
EXPLAINS = ("loss-plateau", "loss-diverges", "mixed-dtype", "class-imbalance")


def examine(run: Run) -> Iterator[Finding]:
    process = run.main
    if process is None:
        return
    raised = _raised(process)
    if raised is not None:
        yield raised
        return
    for fact in process.facts("loss_call"):
        targets = fact.get("targets") or {}
        if not fact.get("train_count") or int(targets.get("elements") or 0) < MIN_ELEMENTS:
            continue
        zero_one = not targets.get("other") and not targets.get("minus_ones") and bool(targets.get("zeros"))
        if fact.get("function") in SIGNED and zero_one:
            yield _signed(fact, str(fact["function"]), int(targets["zeros"]), int(targets["elements"]))
        elif fact.get("function") == "cross_entropy" and zero_one and _several(fact):
            yield _multi_hot(fact)
    for term in process.facts("loss_term"):
        labels, zeros = int(term.get("labels") or 0), int(term.get("zero_labels") or 0)
        if term["head"] == "hinge" and labels >= MIN_ELEMENTS and zeros and zeros + int(term.get("one_labels") or 0) == labels:
            yield _signed(term, "the margin loss", zeros, labels)


def _raised(process: Process) -> Finding | None:
    """The script ended with an error about the targets' type or shape."""
    for error in process.facts("exception"):
        text = str(error.get("message") or "")
        calls = [fact for fact in process.facts("loss_call") if (fact.file, fact.line) == (error.file, error.line)]
        if not calls and error.get("phase") == "backward":  # some losses look at the types only there
            calls = [fact for fact in process.facts("loss_call") if fact.get("target_dtype") != fact.get("input_dtype")]
        if len(calls) != 1:
            continue
        call = calls[0]
        classes = call.get("function") in CLASSES
        if WANTS_ROW.search(text) or (classes and "floating point type for target" in text):
            one_hot = call.get("target_shape") == call.get("input_shape") and len(call.get("target_shape") or ()) > 1
            return _error(call, "one-hot-raised" if one_hot else "shape-raised", text)
        if classes and WANTS_INDICES.search(text) and call.get("target_dtype") != "int64":
            return _error(call, "indices-raised", text)
        if (
            not classes
            and call.get("target_dtype") != call.get("input_dtype")
            and (WANTS_FLOATS.search(text) or WANTS_INDICES.search(text))
        ):
            return _error(call, "floats-raised", text)
    return None


def _error(call: Fact, message: str, text: str) -> Finding:
    kind = message.removesuffix("-raised")
    values: dict[str, Value] = {
        "function": str(call["function"]),
        "dtype": str(call.get("target_dtype")),
        "output_dtype": str(call.get("input_dtype")),
        "shape": shape_text(call.get("target_shape")),
        "output_shape": shape_text(call.get("input_shape")),
        "error": text.splitlines()[0][:160] if text else "",
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=place_of(call),
        why="means-indices" if kind in ("indices", "one-hot", "shape") else "means-floats",
        fix={"indices": "long", "one-hot": "argmax", "shape": "row", "floats": "float"}[kind],
        explains=EXPLAINS,
        ground="error",
        certain_now=True,
    )


def _several(fact: Fact) -> bool:
    """Rows of targets that sum to more than one."""
    sums = (fact.get("sums") or {}).get("target") or {}
    high = sums.get("high")
    return high is not None and float(high) > 1.5 and int(sums.get("off_rows") or 0) >= 0.25 * int(sums.get("rows") or 1)


def _multi_hot(fact: Fact) -> Finding:
    sums = fact["sums"]["target"]
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="multi-hot",
        values={
            "rows": int(sums["rows"]),
            "off": int(sums["off_rows"]),
            "low": sums["low"],
            "high": sums["high"],
            "function": str(fact["function"]),
        },
        place=place_of(fact),
        why="one-answer",
        fix="binary",
        explains=EXPLAINS,
        confidence=0.9,
        ground="values",
    )


def _signed(fact: Fact, function: str, zeros: int, elements: int) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="signed",
        values={"function": function, "zeros": zeros, "targets": elements, "share": zeros / elements},
        place=place_of(fact),
        related=related(place_of(fact)),
        why="no-pull",
        fix="signs",
        explains=EXPLAINS,
        ground="values",
        certain_now=True,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """The target's conversion at the call of the loss."""
    file = project.file(finding.place.file) if finding.place else None
    method = {"long": "long", "float": "float"}.get(str(finding.fix))
    if file is None or finding.place is None or method is None:
        return None
    calls = [call for call in query.calls_at(file, finding.place.line) if len(call.args) == 2]
    if method == "float" and finding.values["output_dtype"] != "float32":
        return None
    if len(calls) != 1:
        return None
    target = calls[0].args[1]
    return edits.make(file, [edits.replace_node(file, target, "{target}." + method + "()", target=target)], safe=True)


RULE = Rule(
    id="target-dtype",
    title="Targets of a type that the loss does not mean",
    severity=Severity.ERROR,
    needs=frozenset(),
    examine=examine,
    edit=edit,
)
