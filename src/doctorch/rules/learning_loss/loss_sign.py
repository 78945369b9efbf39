"""loss-sign: the wrong sign, so that training makes the loss larger, or makes the likely or rewarded thing rarer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from doctorch.analysis import losses
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_LOOKS = 2
MINIMISED = frozenset(
    ("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")
    + ("binary_cross_entropy_with_logits", "poisson_nll_loss", "gaussian_nll_loss", "soft_margin_loss", "square", "absolute")
)
"""Terms that are made small. Divergences are not among them: some objectives keep two distributions apart."""
MAXIMISED = "log_prob"
"""Log-probabilities of what is wanted are made large, so a loss has them with a minus."""
REWARDS = frozenset(
    ("reward", "rewards", "return", "returns", "advantage", "advantages", "adv", "advs", "gae", "payoff", "rtg", "discounted")
)
COSTS = frozenset(("cost", "costs", "penalty", "penalties", "regret", "regrets", "loss", "losses", "nll", "error", "errors", "distance"))
"""Words by which the factor of a policy gradient is called. Whether it is a good or a cost is written nowhere but in its name."""
EXPLAINS = ("loss-diverges", "loss-plateau", "lr-too-high", "exploding-gradients", "dead-relu", "saturated-activations", "class-imbalance")


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    project = project_of(run)
    terms = [term for term in process.facts("loss_term") if int(term.get("looks") or 0)]
    groups: dict[tuple[object, object], list[Fact]] = {}
    for term in terms:
        site = term.get("backward_site") or {}
        groups.setdefault((site.get("file"), site.get("line")), []).append(term)
    right = [term for term in terms if _usual(term) and _sign(process, term) == _wanted(term)]
    for group in groups.values():
        gradient = [term for term in group if _is_policy(term)]
        for term in gradient:
            if _looked(process, [term]) and _rises(process, term) and _intent(project, term) == "reward":
                yield _finding(process, term, "policy", confidence=0.9)
                return
        plain = [term for term in group if term not in gradient and (_usual(term) or term.get("unknown") or term.get("mixed"))]
        wrong = [term for term in plain if _usual(term) and _sign(process, term) == -_wanted(term)]
        # Terms with the right sign besides, here or in another loss of the run: a game of two players, a repulsion, an attack.
        if (
            wrong
            and len(wrong) == len(plain)
            and not right
            and not gradient
            and _looked(process, wrong)
            and _trains_model(process, wrong[0])
        ):
            yield _finding(process, wrong[0], _message(process, wrong[0]), confidence=1.0)
            return


def _is_policy(term: Fact) -> bool:
    """The log-probability of something drawn, or one weighed by factors of its own for each sample."""
    if term.get("function") and term.get("reduction") != "none":
        return False
    kinds = ("log_prob", "square", "binary_cross_entropy_with_logits")
    return str(term["head"]) in kinds and bool(term.get("varied") or term.get("sampled") or term.get("mixed"))


def _usual(term: Fact) -> bool:
    """A term whose right sign is known."""
    if term.get("unknown") or term.get("mixed") or _is_policy(term):
        return False
    return str(term["head"]) in MINIMISED or term["head"] == MAXIMISED


def _wanted(term: Fact) -> int:
    return -1 if term["head"] == MAXIMISED else 1


def _sign(process: Process, term: Fact) -> int:
    """1 where training makes the term smaller, -1 where it makes it larger, 0 where both happened."""
    plus, minus = bool(term.get("plus")), bool(term.get("minus"))
    return (int(plus) - int(minus)) * (-1 if _ascends(_optimizer(process, term)) else 1)


def _rises(process: Process, term: Fact) -> bool:
    """Whether the path from the log-probability of the action to what is minimised has the wrong sign, its factor left aside."""
    sign = int(term.get("path_sign") or 0) * (-1 if _ascends(_optimizer(process, term)) else 1)
    return sign == -_wanted(term)


def _optimizer(process: Process, term: Fact) -> Fact | None:
    """The optimizer that the backward of a term wrote into."""
    stepping = [one for one in process.facts("optimizer") if one.get("steps")]
    site = term.get("backward_site") or {}
    own = [one for one in stepping if (one.get("backward_site") or {}).get("line") == site.get("line")]
    return own[0] if own else stepping[0] if len(stepping) == 1 else None


def _ascends(optimizer: Fact | None) -> bool:
    """Whether all groups maximise, or have a negative rate (both: neither)."""
    groups = optimizer.get("groups") or [] if optimizer is not None else []
    return bool(groups) and all(bool(group.get("maximize")) != ((group.get("lr") or 0) < 0) for group in groups)


def _looked(process: Process, terms: Sequence[Fact]) -> bool:
    return all(int(term["looks"]) >= min(MIN_LOOKS, max(1, process.n_steps)) for term in terms)


def _trains_model(process: Process, term: Fact) -> bool:
    """Whether what steps holds parameters of a model: an attack moves its input."""
    optimizer = _optimizer(process, term)
    if optimizer is None:
        return not process.facts("optimizer")
    params = process.facts("param")
    return any(param.get("optimizer") == optimizer.key and (param.get("registered") or param.get("is_parameter")) for param in params)


def _message(process: Process, term: Fact) -> str:
    optimizer = _optimizer(process, term)
    if _ascends(optimizer):
        negative = any((group.get("lr") or 0) < 0 for group in optimizer.get("groups") or []) if optimizer is not None else False
        return "negative-rate" if negative else "maximize"
    return "likelihood" if term["head"] == MAXIMISED else "negated"


def _finding(process: Process, term: Fact, message: str, confidence: float) -> Finding:
    optimizer = _optimizer(process, term)
    seen = losses.course(losses.losses(process))
    rates = [group.get("lr") for group in (optimizer.get("groups") or [])] if optimizer is not None else []
    values: dict[str, Value] = {
        "term": {"square": "the squared difference", "absolute": "the absolute difference"}.get(str(term["head"]), str(term["head"])),
        "looks": int(term["looks"]),
        "optimizer": str(optimizer.get("cls")) if optimizer is not None else "the optimizer",
        "lr": rates[0] if rates else None,
        "line": term.line,
        "first": seen.first if seen is not None else None,
        "level": seen.level if seen is not None else None,
        "steps": process.n_steps,
    }
    loss = place_of(term)
    if message in ("negative-rate", "maximize"):
        place: Place | None = place_of(optimizer) if optimizer is not None else loss
    elif message == "negated":
        place = site_place(term.get("sign_site")) or loss
    elif message == "policy":
        place = site_place(term.get("factor_site")) or site_place(term.get("reduce_site")) or loss
    else:
        place = site_place(term.get("reduce_site")) or loss
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=place,
        related=related(loss, site_place(term.get("backward_site"))),
        why={"policy": "rarer", "likelihood": "unlikely"}.get(message, "ascends"),
        fix={"negative-rate": "positive-rate", "maximize": "no-maximize", "negated": "no-minus"}.get(message, "minus"),
        explains=EXPLAINS,
        confidence=confidence,
        ground="source" if message == "policy" else "graph",
        certain_now=message != "policy",
    )


def _intent(project: Project, term: Fact) -> str | None:
    """Whether the text calls the factor of a log-probability a reward; None where it does not say, or calls it a cost."""
    place = site_place(term.get("factor_site")) or site_place(term.get("reduce_site"))
    file = project.file(place.file) if place is not None else None
    statement = query.statement_at(file, place.line) if file is not None and place is not None else None
    if file is None or statement is None or not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr):
        return None
    value = statement.value
    if value is None:
        return None
    products = [node for node in ast.walk(value) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)]
    named = [(words, turned) for words, turned in (_named(file, product) for product in products) if words & REWARDS]
    if not named:  # multiplied elsewhere, or under names of a loop
        named = [_named(file, value)]
    good = any(words & REWARDS and not words & COSTS and not turned for words, turned in named)
    return "reward" if good and not any(turned for _, turned in named) else None


def _named(file: SourceFile, expression: ast.expr) -> tuple[set[str], bool]:
    """The words of the names in an expression and in what they were assigned, and whether a reward among them stands with a minus."""
    expressions = _with_values(file, expression)
    words = {word for one in expressions for word in _all_words(one)}
    return words, any(_turned(file, node) for one in expressions for node in ast.walk(one))


def _with_values(file: SourceFile, expression: ast.expr) -> list[ast.expr]:
    """An expression and what the names in it were assigned."""
    names = [node for node in ast.walk(expression) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return [expression, *(one for name in names for one in flow.values_of(file, name) if not query.is_unknown(one))]


def _all_words(expression: ast.AST) -> set[str]:
    """The words of the names in an expression, those of called functions left out."""
    called = {node.func for node in ast.walk(expression) if isinstance(node, ast.Call)}
    return {word for node in ast.walk(expression) if node not in called for word in _words(node)}


def _words(node: ast.AST) -> set[str]:
    name = (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else node.arg
        if isinstance(node, ast.arg)
        else ""
    )
    return {word for word in re.split(r"[_\d]+", name.lower()) if word}


def _turned(file: SourceFile, node: ast.AST) -> bool:
    """Whether a reward, or what was made of one, stands with a minus: ``-reward``, ``baseline - reward``."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _of_reward(file, node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return not _of_reward(file, node.left) and _of_reward(file, node.right)
    return False


def _of_reward(file: SourceFile, expression: ast.expr) -> bool:
    return any(_all_words(one) & REWARDS for one in _with_values(file, expression))


RULE = Rule(
    id="loss-sign",
    title="Training goes the wrong way",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
