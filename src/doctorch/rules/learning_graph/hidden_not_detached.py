"""hidden-not-detached: a state is carried from one step to the next together with the graph that made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.inplace_modifies_saved import changed_by_step
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.project import Project, project_of

AGAIN = "backward through the graph a second time"
"""What backward says of a graph whose saved tensors are gone."""
CHANGED = "modified by an inplace operation"
"""… and, where retain_graph kept them, of weights that the optimizer has changed since. Other things are changed in place too: here
something must have been seen to carry the graph on."""
MIN_CHAIN = 6
"""Calls of a backward over which its graph reaches back, each look further than the one before. Truncated back-propagation over a window
keeps a few; several losses of one forward keep one."""
MIN_LOOKS = 3
EXPLAINS = (
    "retain-graph-leak",
    "loss-keeps-graph",
    "outputs-kept-in-list",
    "loss-plateau",
    "exploding-gradients",
    "inplace-modifies-saved",
)


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        backwards = process.facts("backward")
        failed = next((fact for fact in backwards if _refused(process, fact)), None)
        for backward in [failed] if failed is not None else backwards:
            chain = _growing(backward)
            if failed is None and not chain:
                continue
            how = _carried(process, backward)
            place = place_of(how) if how is not None else _written(project_of(run), backward)
            if place is not None:
                yield _finding(backward, how, place, "raised" if failed is not None else "grows", chain)
                return


def _refused(process: Process, backward: Fact) -> bool:
    """Whether backward failed because its graph reaches back into that of a step before."""
    error = str(backward.get("error") or "")
    if CHANGED in error:
        return _carried(process, backward) is not None and changed_by_step(process, error)
    return AGAIN in error


def _growing(backward: Fact) -> Sequence[Sequence[int]]:
    """The looks at the graph of a backward over which it reached further back at each; nothing where it does not grow."""
    best: list[Sequence[int]] = []
    run: list[Sequence[int]] = []
    for look in backward.get("chains") or ():
        run = [*run, look] if run and look[1] > run[-1][1] and look[2] > run[-1][2] else [look]
        if len(run) > len(best):
            best = run
    return best if len(best) >= MIN_LOOKS and best[-1][1] >= MIN_CHAIN else []


def _carried(process: Process, backward: Fact) -> Fact | None:
    """How the old graph came into the new one: a sum of losses, a model that was given back its own result, or an operator that read what
    the same line had made before."""
    facts = process.facts("carried")
    reads = [fact for fact in facts if fact.get("how") == "read" and (fact.get("backward_site") or {}).get("line") == backward.line]
    loss = next((fact for fact in reads if fact.get("loss")), None)
    if loss is not None:
        return loss
    calls = [fact for fact in facts if fact.get("how") == "call"]
    if calls and (reads or backward.get("failed") or backward.get("chains")):
        return max(calls, key=lambda fact: fact.count)
    return next((fact for fact in reads if fact.get("again")), None)


def _written(project: Project, backward: Fact) -> Place | None:
    """Where nothing told how: the one statement of the loop around backward that assigns a name which it reads and nothing else assigns."""
    file = project.file(backward.file) if backward.file else None
    loops = query.loops_around(file, backward.line) if file is not None and backward.line else []
    if file is None or not loops:
        return None
    found: list[ast.Assign] = []
    bound: list[str] = (
        [node.id for node in ast.walk(loops[0].target) if isinstance(node, ast.Name)] if isinstance(loops[0], ast.For) else []
    )
    assigns = [node for statement in loops[0].body for node in ast.walk(statement) if isinstance(node, ast.Assign | ast.AugAssign)]
    for node in assigns:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        bound += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    for node in assigns:
        if isinstance(node, ast.Assign) and not _leaves(node.value) and [name for name in _states(node) if bound.count(name) == 1]:
            found.append(node)
    return Place(file.path, found[0].lineno) if len(found) == 1 else None


def _leaves(value: ast.expr) -> bool:
    """Whether the value is a number or detached, for all that the text says."""
    names = {node.attr for node in ast.walk(value) if isinstance(node, ast.Attribute)}
    return bool(names & {"item", "detach", "data", "numpy", "tolist"}) or not any(isinstance(node, ast.Call) for node in ast.walk(value))


def _finding(backward: Fact, how: Fact | None, place: Place, message: str, chain: Sequence[Sequence[int]]) -> Finding:
    first, last = (chain[0], chain[-1]) if chain else ((0, 0, 0), (0, 0, 0))
    loss = how is not None and bool(how.get("loss"))
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=f"{message}-loss" if loss else message,
        values={
            "line": backward.line,
            "number": backward.count,
            "chain": last[1],
            "nodes": last[2],
            "first_nodes": first[2],
            "growth": last[2] / max(1, first[2]),
            "tuple": how is not None and bool(how.get("tuple")),
        },
        place=place,
        related=related(place_of(backward), site_place(how.get("made_site")) if how is not None else None),
        why="history",
        fix="number" if loss else "detach",
        explains=EXPLAINS,
        confidence=1.0 if how is not None else 0.8,
        ground="error" if message == "raised" else "graph",
        certain_now=True,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Detach the state after backward, where one statement of the same loop both takes a plain name and assigns it."""
    if finding.place is None or finding.fix != "detach" or not finding.related:
        return None
    file = project.file(finding.place.file)
    if file is None or finding.related[0].file != finding.place.file:
        return None
    backward = query.statement_at(file, finding.related[0].line)
    statement = query.statement_at(file, finding.place.line)
    names = _states(statement) if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) else []
    loops = query.loops_around(file, finding.place.line)
    if backward is None or len(names) != 1 or not loops or query.loops_around(file, backward.lineno)[:1] != loops[:1]:
        return None
    name = names[0]
    text = f"{name} = tuple(s.detach() for s in {name})" if finding.values.get("tuple") else f"{name} = {name}.detach()"
    return edits.make(file, [edits.insert_after(backward, text)], safe=False)


def _states(statement: ast.Assign) -> list[str]:
    """The names that a statement both reads and assigns; of a call, not the name of what is called."""
    called = statement.value.func if isinstance(statement.value, ast.Call) else None
    inside = set(ast.walk(called)) if called is not None else set()
    given = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name) and node not in inside}
    assigned = [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return [name for name in assigned if name in given]


RULE = Rule(
    id="hidden-not-detached",
    title="A state is carried across steps with its graph",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
    edit=edit,
)
