"""vocab-mismatch: the same word has another id in evaluation than in training, or most words have none of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import input_expression
from doctorch.rules.shared import place_of, related
from doctorch.source import query
from doctorch.source.project import Project, project_of
from doctorch.source.reach import reached

SAME = 0.9
"""Share of the common words with the same id from which two tables are taken for one that has grown."""
SHARED = 0.2
"""Share of the words of either that both must have: tables of two languages share a few marks only."""
MIN_WORDS = 10
"""Common words from which two variables are taken for tables of the same words."""
USED = 0.3
"""Share of a table that the ids given to the model must span, for it to be the table that made them."""
UNKNOWN = 0.4
"""Share of one id among the ids of an evaluation, or of a training, that only «unknown word» has in text: «the», the most frequent English
word, has about 0.06."""
TIMES = 4
"""… and so many times that id's share in training."""
MIN_TOKENS = 200
MIN_TABLE = 20
SEEN = 0.3
"""Share of a vocabulary met in many tokens, below which it is that of other texts."""
EXPLAINS = ("overfitting", "embedding-too-small", "preprocessing-mismatch", "missing-eval-mode", "loss-plateau")


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for process in run.training:
        finding = (
            next(_datasets(project, process), None) or next(_variables(project, process), None) or next(_unknown(project, process), None)
        )
        if finding is not None:
            yield finding
            return


# ---- tables of two data sets, and among the variables


def _datasets(project: Project, process: Process) -> Iterator[Finding]:
    tables = [fact for fact in process.facts("vocabulary") if fact["where"] == "dataset"]
    for one, other, found in _differing(tables, 2):
        if (one["of"], one["name"]) != (other["of"], other["name"]):
            continue
        for train, test in ((one, other), (other, one)):
            used = _used(process, train, test)
            if used is not None:
                place = _built(project, str(train["of"]), str(train["name"])) or place_of(used[1])
                yield _finding("two-tables", train, test, found, place, place_of(used[1]))


def _differing(tables: list[Fact], least: int) -> Iterator[tuple[Fact, Fact, tuple[int, int]]]:
    """Pairs of tables that number the same words differently, with common words and those with the same id."""
    known = {fact.key: fact for fact in tables}
    for fact in tables:
        for key, found in fact["against"].items():
            common, equal = int(found["common"]), int(found["equal"])
            if key in known and not found["same"] and common >= least and common >= SHARED * int(found["either"]) and equal < SAME * common:
                yield known[key], fact, (common, equal)


def _used(process: Process, train: Fact, test: Fact) -> tuple[Fact, Fact] | None:
    """What the model is given in training from the loader of the one, and in evaluation from that of the other."""
    inputs = process.facts("input")
    for first in inputs:
        if first.get("phase") != "train" or first.get("loader") != train["loader"]:
            continue
        for second in inputs:
            same = (first.get("root"), first.get("name")) == (second.get("root"), second.get("name"))
            if not same or second.get("phase") != "eval" or second.get("loader") != test["loader"]:
                continue
            if "int" not in str(first.get("dtype")):
                return (first, second) if _classes(process, train) else None
            if _spans(first, train) and _spans(second, test):
                return first, second
    return None


def _classes(process: Process, table: Fact) -> bool:
    """Whether a table is that of the classes: as many as the loss has."""
    return any(fact.get("n_classes") == table["size"] for fact in process.facts("loss_call"))


def _spans(given: Fact, table: Fact) -> bool:
    """Whether the ids given to the model can have come from the table."""
    high, size = given.get("max"), int(table["size"])
    return high is not None and USED * size <= high < int(table["first"]) + size + 2


def _built(project: Project, cls: str, name: str) -> Place | None:
    """The line of the data set's class that sets the attribute."""
    attribute = name.split(".")[0]
    for file in project.files:
        found = query.classes(file).get(cls.split(".")[-1])
        made = query.attribute_assignments(found, attribute) if found is not None else []
        if made:
            return Place(file.path, made[-1].lineno)
    return None


def _variables(project: Project, process: Process) -> Iterator[Finding]:
    tables = [fact for fact in process.facts("vocabulary") if fact["where"] == "variables"]
    for one, other, found in _differing(tables, MIN_WORDS):
        for given in process.facts("input"):
            if given.get("phase") != "eval" or "int" not in str(given.get("dtype")):
                continue
            evaluated = _reached(project, given)
            for first in process.facts("input"):
                if first.get("phase") != "train" or (first.get("root"), first.get("name")) != (given.get("root"), given.get("name")):
                    continue
                trained = _reached(project, first)
                for train, test in ((one, other), (other, one)):
                    names = f"{train['of']}.{_head(train)}", f"{test['of']}.{_head(test)}"
                    if names[0] in trained - evaluated and names[1] in evaluated - trained and _spans(first, train) and _spans(given, test):
                        yield _finding("two-tables", train, test, found, _assigned(project, test) or place_of(given), place_of(given))


def _head(table: Fact) -> str:
    return str(table["name"]).split(".")[0]


def _reached(project: Project, given: Fact) -> set[str]:
    found = input_expression(project, given)
    return reached(*found) if found is not None else set()


def _assigned(project: Project, table: Fact) -> Place | None:
    """The last line at which the variable that holds a table is assigned."""
    file = project.file(table.file)
    lines = [
        node.lineno
        for node in (file.nodes if file is not None else ())
        if isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Name) and part.id == _head(table) for target in node.targets for part in ast.walk(target))
    ]
    return Place(file.path, lines[-1]) if file is not None and lines else None


def _finding(message: str, train: Fact, test: Fact, found: tuple[int, int], place: Place | None, given: Place | None) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={
            "train_name": str(train["name"]),
            "name": str(test["name"]),
            "train_size": int(train["size"]),
            "size": int(test["size"]),
            "common": found[0],
            "equal": found[1],
            "different": found[0] - found[1],
        },
        place=place,
        related=related(given),
        why="ids",
        fix="one-table",
        explains=EXPLAINS,
        ground="values",
    )


# ---- words that the vocabulary does not have


def _unknown(project: Project, process: Process) -> Iterator[Finding]:
    facts = process.facts("tokens")
    for fact in facts:
        if fact["phase"] != "eval" or int(fact.get("total") or 0) < MIN_TOKENS:
            continue
        train = next((o for o in facts if o["phase"] == "train" and (o["root"], o["name"]) == (fact["root"], fact["name"])), None)
        if train is None or int(train.get("total") or 0) < MIN_TOKENS or int(train["distinct"]) < MIN_TABLE:
            continue
        token, number = fact["top"][0]
        share = number / fact["total"]
        before = dict(map(tuple, train["top"])).get(token, train["top"][-1][1] if len(train["top"]) > 4 else 0) / train["total"]
        if share >= UNKNOWN and share > TIMES * before:
            given = _given(process, fact)
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="unknown",
                values={"token": token, "share": share, "train_share": before, "total": int(fact["total"])},
                place=place_of(given) if given is not None else None,
                why="other-text",
                fix="one-table",
                explains=EXPLAINS,
                confidence=0.9,
                ground="values",
            )
    yield from _unseen(project, process)


def _unseen(project: Project, process: Process) -> Iterator[Finding]:
    """In training itself nearly all tokens are one id, and the words of the vocabulary hardly come up: it is that of other texts."""
    for fact in process.facts("tokens"):
        total = int(fact.get("total") or 0)
        if fact["phase"] != "train" or total < MIN_TOKENS or fact["top"][0][1] < UNKNOWN * total:
            continue
        for table in process.facts("vocabulary"):
            size = int(table["size"])
            if size < MIN_TABLE or total < 5 * size or int(fact["distinct"]) > SEEN * size:
                continue
            lookup = _lookup(project, _head(table), str(table["name"]).split(".")[-1])
            given = _given(process, fact)
            if lookup is not None and given is not None and _spans_any(given, table):
                yield Finding(
                    rule=RULE.id,
                    severity=Severity.ERROR,
                    message="unseen",
                    values={
                        "name": str(table["name"]),
                        "size": size,
                        "distinct": int(fact["distinct"]),
                        "token": fact["top"][0][0],
                        "share": fact["top"][0][1] / total,
                        "total": total,
                    },
                    place=lookup,
                    related=related(place_of(given)),
                    why="other-text",
                    fix="own-text",
                    explains=EXPLAINS,
                    confidence=0.9,
                    ground="values",
                )
                return


def _spans_any(given: Fact, table: Fact) -> bool:
    return given.get("max") is not None and int(given["max"]) < int(table["first"]) + int(table["size"]) + 2


def _lookup(project: Project, *names: str) -> Place | None:
    """Where a table is asked for a word with an id for «not there»: ``table.get(word, 0)``."""
    for file in project.files:
        for node in file.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and len(node.args) == 2:
                owner = node.func.value
                if (owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else None) in names:
                    return Place(file.path, node.lineno)
    return None


def _given(process: Process, tokens: Fact) -> Fact | None:
    """The input that the tokens are of."""
    return next(
        (
            fact
            for fact in process.facts("input")
            if (fact.get("root"), fact.get("name"), fact.get("phase")) == (tokens["root"], tokens["name"], tokens["phase"])
        ),
        None,
    )


RULE = Rule(
    id="vocab-mismatch",
    title="Two vocabularies for one model",
    severity=Severity.ERROR,
    needs=frozenset({"input"}),
    examine=examine,
)
