"""softmax-wrong-dim: a softmax normalises over the batch, over time or over heads instead of over the classes or keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_loss import activations
from doctorch.rules.shared import place_of, related, shape_text, site_place
from doctorch.source.project import Project, project_of

MIN_LOOKS = 2
"""Calls whose sums were read: one batch of two equal samples may be both."""
OFF_SHARE = 0.95
"""Share of the rows that do not sum to one, where a reshape hides over what was normalised."""
KINDS = ("softmax", "log_softmax")
EXPLAINS = (
    "nll-without-log-softmax", "double-softmax", "loss-plateau", "loss-diverges", "view-mixes-dims", "relu-on-output", "lr-too-low",
    "lr-too-high", "label-shift", "future-leak",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    said: set[tuple[Any, Any]] = set()
    for fact in run.main_facts("loss_call"):
        # Where something else is behind, as the logarithm of a softmax, the values of log-probabilities still speak.
        if fact.get("train_count") and (fact.get("activation") in KINDS or _of_nll(fact)):
            found = _at_loss(project, fact)
            if found is not None:
                said.add((fact.file, fact.line))
                yield found
    for fact in run.main_facts("loss_term"):
        if fact.get("head") == "log_prob" and (fact.file, fact.line) not in said:
            yield from _by_hand(project, fact)
    for fact in run.main_facts("softmax"):
        if int(fact.get("other_dim") or 0) >= MIN_LOOKS and fact.get("other_dim") == fact.get("products"):
            yield _attention(fact)


def _of_nll(fact: Fact) -> bool:
    return fact.get("function") == "nll_loss" and fact.get("activation") is None


def _at_loss(project: Project, fact: Fact) -> Finding | None:
    kind = str(fact.get("activation") or "log_softmax")
    all_sums: Mapping[str, Any] = fact.get("sums") or {}
    sums = all_sums.get("exp" if kind == "log_softmax" else "value")
    shape = list(fact.get("input_shape") or ())
    if not sums or int(sums["calls"]) < MIN_LOOKS or len(shape) < 2:
        return None
    over = _whole(sums)
    right = {1} if fact.get("function") in ("cross_entropy", "nll_loss") else _whole(all_sums.get("target"))
    if not right or right & over:
        return None
    values: dict[str, Value] = {"kind": kind, "function": str(fact["function"]), "loss_line": fact.line, "looks": int(sums["calls"])}
    if over:
        wrong = min(over)
        values |= {"dim": wrong, "right": min(right), "size": shape[wrong], "shape": shape_text(shape)}
        return _finding(project, fact, "loss", values, fact.get("activation_site"), kind)
    given, dim = fact.get("softmax_shape"), fact.get("softmax_dim")
    rows, off, classes = int(sums["rows"]), int(sums["off_rows"]), fact.get("n_classes")
    if not given or dim is None or fact.get("picked") or not classes or off < OFF_SHARE * rows:
        return None
    dim %= len(given)
    places = [place for place, size in enumerate(given) if size == classes]
    if given[dim] == classes or len(places) != 1:
        return None
    values |= {"dim": dim, "right": places[0], "size": given[dim], "shape": shape_text(given), "rows": rows}
    return _finding(project, fact, "flattened", values, fact.get("activation_site"), kind)


def _whole(sums: Mapping[str, Any] | None) -> set[int]:
    """The dimensions over which all sums were one at every look."""
    if not sums:
        return set()
    return {int(dim) for dim, calls in sums["one"].items() if calls == sums["calls"]}


def _finding(project: Project, fact: Fact, message: str, values: dict[str, Value], site: Any, kind: str) -> Finding:
    loss = place_of(fact)
    place = activations.place(project, fact, site, kind)
    if place is None and site is None:
        values["kind"] = "softmax"
        place = activations.only(project, "softmax")
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=place or loss,
        related=related(loss),
        why="mixes",
        fix="dim",
        explains=EXPLAINS,
        ground="values",
        certain_now=True,
    )


def _by_hand(project: Project, fact: Fact) -> Iterator[Finding]:
    """A log-probability picked by hand along another dimension than the one that was normalised."""
    given, dim = fact.get("softmax_shape"), fact.get("softmax_dim")
    picked, shape = fact.get("selected_dim"), fact.get("selected_shape")
    if not given or dim is None or picked is None or given != shape or len(given) < 2 or int(fact.get("looks") or 0) < MIN_LOOKS:
        return
    dim, picked = dim % len(given), picked % len(given)
    # Of a square, as all pairs of a batch, both directions may be meant.
    if dim == picked or given[dim] == given[picked] or fact.get("sampled"):
        return
    kind = "log_softmax"
    site = fact.get("softmax_site")
    found = activations.place(project, fact, site, kind)
    if found is None or (site and found == site_place(site) and activations.call_at(project, found, kind) is None):
        softmax = activations.place(project, fact, site, "softmax")
        found, kind = (softmax, "softmax") if softmax is not None and activations.call_at(project, softmax, "softmax") else (found, kind)
    yield Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="picked",
        values={"dim": dim, "right": picked, "size": given[dim], "shape": shape_text(given), "kind": kind, "loss_line": fact.line},
        place=found or place_of(fact),
        related=related(place_of(fact)),
        why="mixes",
        fix="dim",
        explains=EXPLAINS,
        ground="graph",
        certain_now=True,
    )


def _attention(fact: Fact) -> Finding:
    shape = list(fact["shape"])
    dim = int(fact["dim"])
    product = site_place(fact.get("product_site"))
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="attention",
        values={
            "dim": dim,
            "right": -1,
            "size": shape[dim],
            "shape": shape_text(shape),
            "kind": str(fact["kind"]),
            "product_line": product.line if product is not None else fact.line,
            "looks": int(fact["looks"]),
        },
        place=place_of(fact),
        related=related(product),
        why="attention-why",
        fix="keys",
        explains=EXPLAINS,
        confidence=0.9,
        ground="graph",
        certain_now=True,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """The dimension of the softmax."""
    return activations.other_dim(project, finding.place, str(finding.values["kind"]), int(str(finding.values["right"])))


RULE = Rule(
    id="softmax-wrong-dim",
    title="Softmax over the wrong dimension",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
    edit=edit,
)
