"""double-softmax: cross-entropy, which applies log-softmax itself, is given probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from doctorch.analysis import probes
from doctorch.analysis.losses import softmax_twice_floor
from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import edits, flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

SUM_TOLERANCE_SHARE = 1.0
"""All rows must sum to 1 within 1e-3: one softmax makes them all do so, chance makes none."""
MIN_CALLS_BY_VALUES = 3
MIN_ROWS_BY_VALUES = 30
"""Calls and rows that must be checked where the graph did not show the softmax itself and the values alone speak."""
EXPLAINS = ("loss-plateau", "lr-too-low", "vanishing-gradients")
SOFTMAX_FUNCTIONS = frozenset({"torch.softmax", "torch.nn.functional.softmax", "torch.special.softmax"})
SOFTMAX_MODULE = "torch.nn.Softmax"
CROSS_ENTROPY = "torch.nn.functional.cross_entropy"
CROSS_ENTROPY_MODULE = "torch.nn.CrossEntropyLoss"


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        if fact.get("function") == "cross_entropy" and fact.get("train_count") and _is_probabilities(fact):
            yield _finding(project_of(run), fact)


def _is_probabilities(fact: Fact) -> bool:
    rows, ones, classes = int(fact.get("rows") or 0), int(fact.get("rows_sum_one") or 0), int(fact.get("n_classes") or 0)
    if classes < 2 or not rows or ones < SUM_TOLERANCE_SHARE * rows:
        return False
    if fact.get("softmax"):
        return bool(fact.get("softmax_kind") == "softmax")
    return int(fact.get("checked") or 0) >= MIN_CALLS_BY_VALUES and rows >= MIN_ROWS_BY_VALUES


def _finding(project: Project, fact: Fact) -> Finding:
    classes = int(fact["n_classes"])
    in_graph = bool(fact.get("softmax"))
    loss = place_of(fact)
    softmax = _softmax_place(project, fact)
    plain = not fact.get("label_smoothing") and not fact.get("weighted") and fact.get("reduction", "mean") == "mean"
    proof = _proof(fact)
    values: dict[str, Value] = {
        **proof,
        "rows": int(fact["rows"]),
        "classes": classes,
        "floor": softmax_twice_floor(classes),
        "sum_min": fact.get("row_sum_min"),
        "sum_max": fact.get("row_sum_max"),
        "loss_line": fact.line,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="graph" if in_graph else "values",
        values=values,
        place=softmax or loss,
        related=related(loss),
        why="twice" if plain else "twice-no-floor",
        fix="remove",
        proof="copies" if proof else None,
        explains=EXPLAINS,
        confidence=1.0 if in_graph else 0.9,
        ground="graph" if in_graph else "values",
        certain_now=in_graph,
    )


def _proof(fact: Fact) -> dict[str, Value]:
    """What the same steps gave without the softmax, where they were tried and gave more."""
    tried = probes.probe(fact.process, "without-softmax")
    control, without = (tried.arms.get(name) if tried is not None else None for name in ("control", "without"))
    if control is None or without is None or not without.last < control.last:
        return {}
    return {
        "turns": without.turns,
        "with": control.last,
        "without": without.last,
        "with_first": control.first,
        "without_first": without.first,
    }


def _softmax_place(project: Project, fact: Fact) -> Place | None:
    """The line of the softmax: as the observer saw it where the text there shows one, else as the text around the loss tells."""
    seen = site_place(fact.get("softmax_site"))
    if seen is not None:
        file = project.file(seen.file)
        if file is not None and _softmax_on_line(project, file, seen.line) is not None:
            return seen
    file = project.file(fact.file)
    if file is not None and fact.line is not None:
        for call in query.calls_at(file, fact.line):
            made = _softmaxes(project, file, call.args[0]) if call.args else []
            if made:
                return _shown(made[0])
    return (_only_softmax(project) if fact.get("softmax") else None) or seen


def _only_softmax(project: Project) -> Place | None:
    """The softmax of the project's text, if there is just one: then it is the one that was seen."""
    found = [
        Place(file.path, node.lineno)
        for file in project.files
        for node in file.nodes
        if isinstance(node, ast.expr) and is_softmax(file, node)
    ]
    return found[0] if len(found) == 1 else None


def examine_source(project: Project) -> Iterable[Finding]:
    """Cross-entropy whose input is, on every way that the text shows, the result of a softmax."""
    for file in project.files:
        for call in file.nodes:
            if not isinstance(call, ast.Call) or not _is_cross_entropy(project, file, call):
                continue
            scores = query.argument(call, 0, "input")
            made = _softmaxes(project, file, scores) if scores is not None else []
            if made:
                yield Finding(
                    rule=RULE.id,
                    severity=Severity.ERROR,
                    message="source",
                    values={"loss_line": call.lineno},
                    place=_shown(made[0]),
                    related=(Place(file.path, call.lineno),),
                    why="twice-no-floor",
                    fix="remove",
                    explains=EXPLAINS,
                    confidence=0.95,
                    ground="source",
                )


def _is_cross_entropy(project: Project, file: SourceFile, call: ast.Call) -> bool:
    if query.qualified(file, call.func) == CROSS_ENTROPY:
        return True
    module = flow.module_of(project, file, call.func)
    return (
        module is not None and isinstance(module.node, ast.Call) and query.qualified(module.file, module.node.func) == CROSS_ENTROPY_MODULE
    )


def _softmaxes(project: Project, file: SourceFile, scores: ast.expr) -> list[flow.Made]:
    """The softmaxes that made the value, or none unless all ways lead to one."""
    found: list[flow.Made] = []
    for made in flow.made_by(project, file, scores):
        if made is None or not is_softmax(made.file, made.node):
            return []
        found.append(made)
    return found


def _shown(made: flow.Made) -> Place:
    file, line = made.shown
    return Place(file.path, line)


def is_softmax(file: SourceFile, node: ast.AST) -> bool:
    """Whether an expression is a softmax: the function, the tensor's method, or the construction of ``nn.Softmax``."""
    if not isinstance(node, ast.Call):
        return False
    name = query.qualified(file, node.func) or ""
    if name in SOFTMAX_FUNCTIONS or name == SOFTMAX_MODULE:
        return True
    return isinstance(node.func, ast.Attribute) and node.func.attr == "softmax" and not query.is_self_attribute(node.func)


def _softmax_on_line(project: Project, file: SourceFile, line: int) -> ast.Call | None:
    """The softmax that a line applies or constructs, if it is the only one."""
    found: list[ast.Call] = []
    for call in query.calls_at(file, line):
        module = None if isinstance(call.func, ast.Call) else flow.module_of(project, file, call.func)
        if is_softmax(file, call) or (module is not None and is_softmax(module.file, module.node)):
            found.append(call)
    return found[0] if len(found) == 1 else None


def edit(finding: Finding, project: Project) -> Edit | None:
    """Put the softmax's input in its place, or take ``nn.Softmax`` out of the Sequential."""
    file = project.file(finding.place.file) if finding.place else None
    softmax = _softmax_on_line(project, file, finding.place.line) if file is not None and finding.place is not None else None
    if file is None or softmax is None:
        return None
    if query.qualified(file, softmax.func) == SOFTMAX_MODULE:
        return _without_module(file, softmax)
    func = softmax.func
    source = func.value if isinstance(func, ast.Attribute) and _is_method(file, func) else query.argument(softmax, 0, "input")
    if source is None:
        return None
    # Where the softmax stands inside the call of the loss nothing else can use its result.
    parent = file.parents.get(softmax)
    inside_loss = isinstance(parent, ast.Call) and _is_cross_entropy(project, file, parent)
    return edits.make(file, [edits.replace_node(file, softmax, "{source}", source=source)], safe=inside_loss)


def _is_method(file: SourceFile, func: ast.Attribute) -> bool:
    """Whether ``….softmax`` is the tensor's method."""
    return func.attr == "softmax" and not query.is_self_attribute(func) and query.qualified(file, func) not in SOFTMAX_FUNCTIONS


def _without_module(file: SourceFile, softmax: ast.Call) -> Edit | None:
    """``nn.Sequential(…, nn.Softmax(dim=1))`` without its last element."""
    parent = file.parents.get(softmax)
    if not isinstance(parent, ast.Call) or len(parent.args) < 2 or parent.args[-1] is not softmax or parent.keywords:
        return None
    return edits.make(file, [edits.remove_last_argument(parent)], safe=False, summary=f"without {file.segment(softmax)}")


RULE = Rule(
    id="double-softmax",
    title="Softmax before cross-entropy",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
