"""resume-incomplete: a training goes on from a checkpoint without the state of its optimizer, scheduler or scaler."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from statistics import fmean, pstdev
from typing import Any

from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import project_of

MIN_STEPS = 5
"""Steps made after the load: fewer are no training that goes on."""
RATE = 1.5
"""Factor between the rate in the file and that of the steps after it: a schedule moves it less over a few steps."""
WINDOW = 10
"""Steps before and after the load whose losses are compared, and in which the rate is."""
JUMP = 0.3
"""Share by which the mean loss must be higher after the load than before, and more than three deviations."""
STATEFUL = ("Adam", "RMSprop", "Adagrad", "Adadelta", "Rprop", "LAMB", "Lion", "ASGD")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for fact in process.facts("checkpoint"):
            step = int(fact.get("step") or 0)
            if process.n_steps - step >= MIN_STEPS and (finding := _judge(run, process, fact, step)) is not None:
                yield finding
                return


def _judge(run: Run, process: Process, fact: Fact, step: int) -> Finding | None:
    parts = list(fact.get("parts") or ())
    loads = _loads(process, fact)
    if not loads or not any(part["kind"] == "weights" for part in parts):
        return None
    counter = _counter(run, fact, parts)
    jump = _jump(process, step) if fact.get("written_at") and _built_again(process, parts, step) else None
    if counter is None and jump is None:
        return None  # weights alone are wanted: a fine-tuning, an evaluation
    counted = counter is not None and float(counter["value"]) > 0
    values = _values(process, fact, counter, jump)
    optimizers = [one for one in process.facts("optimizer") if int(one.get("steps") or 0) >= MIN_STEPS and one.get("loaded_first")]
    if not optimizers:
        return None  # what was loaded trains no further
    states = [part for part in parts if part["kind"] == "optimizer" and part.get("states")]
    if states and len(_restored(process, "optimizer", step)) < min(len(states), len(optimizers)) and (counted or jump is not None):
        return _finding(fact, loads, "optimizer", {**values, "states": int(states[0]["states"]), "key": str(states[0]["key"])})
    if (rate := _rate_jumps(process, parts, step)) and not _restored(process, "scheduler", step) and (counted or jump is not None):
        return _finding(fact, loads, "scheduler", {**values, **rate})
    scalers = [part for part in parts if part["kind"] == "scaler"]
    if scalers and process.facts("scaler") and not _restored(process, "scaler", step) and counted:
        return _finding(fact, loads, "scaler", {**values, "scale": float(scalers[0]["scale"]), "key": str(scalers[0]["key"])})
    if any(part["kind"] == "optimizer" for part in parts) or _restored(process, "optimizer", step):
        return None
    lost = next((one for one in optimizers if _keeps_state(one)), None)
    if lost is not None and (counted or jump is not None):
        return _finding(fact, loads, "not-saved", {**values, "optimizer": str(lost["cls"])})
    return None


def _finding(fact: Fact, loads: list[Fact], message: str, values: dict[str, Value]) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message=message if values["counter"] is not None else f"{message}-jump" if message in ("optimizer", "not-saved") else message,
        values=values,
        place=place_of(loads[0]) or place_of(fact),
        related=related(place_of(fact)),
        why="rate" if message == "scheduler" else "scale" if message == "scaler" else "moments",
        fix="save" if message == "not-saved" else "load",
        explains=("loss-diverges", "lr-too-high") if message != "scaler" else (),
        confidence=0.9,
    )


def _values(process: Process, fact: Fact, counter: dict[str, Any] | None, jump: tuple[float, float] | None) -> dict[str, Value]:
    return {
        "file": str(fact.get("name") or "the checkpoint"),
        "counter": str(counter["key"]) if counter is not None else None,
        "value": int(counter["value"]) if counter is not None else None,
        "before": jump[0] if jump is not None else None,
        "after": jump[1] if jump is not None else None,
        "steps": process.n_steps - int(fact.get("step") or 0),
    }


def _loads(process: Process, fact: Fact) -> list[Fact]:
    """The calls of ``load_state_dict`` of models in the same file that may have been given its weights, nearest first."""
    found = [load for load in process.facts("load") if load.file == fact.file and load.line and not _misfit(load)]
    at = fact.line or 0
    return sorted(found, key=lambda load: (load.step_first < fact.step_first, (load.line or 0) < at, abs((load.line or 0) - at)))


def _misfit(load: Fact) -> bool:
    """Weights that fit little: another model's, to begin from."""
    return int(load.get("numel_missing") or 0) > 0 or int(load.get("unexpected") or 0) > 0


def _restored(process: Process, what: str, step: int) -> list[Fact]:
    return [fact for fact in process.facts("restore") if fact.get("what") == what and fact.step_last >= step]


def _keeps_state(optimizer: Fact) -> bool:
    cls = str(optimizer.get("cls") or "")
    return any(name in cls for name in STATEFUL) or any(group.get("momentum") for group in optimizer.get("groups") or ())


def _rate_jumps(process: Process, parts: list[dict[str, Any]], step: int) -> dict[str, Value] | None:
    """The rate in the file, which a schedule had brought away from its start, and one nearer to the start at which the training goes on."""
    if not process.facts("scheduler"):
        return None
    for part in parts:
        if part["kind"] != "optimizer" or not part.get("lrs") or not part.get("initial_lrs"):
            continue
        saved, start = float(part["lrs"][0]), float(part["initial_lrs"][0])
        if saved <= 0 or max(start / saved, saved / max(start, 1e-30)) < RATE:
            continue
        for optimizer in process.facts("optimizer"):
            trace = [(int(at), float(rate)) for at, rate in optimizer.get("rate_trace") or ()]
            soon = step + max(WINDOW, (process.n_steps - step) // 3)
            known = [rate for at, rate in trace if at <= step][-1:] + [rate for at, rate in trace if step < at <= soon]
            worst = max((rate for rate in known if rate > 0), key=lambda rate: abs(math.log(rate / saved)), default=saved)
            if abs(math.log(worst / saved)) > math.log(RATE) and abs(math.log(worst / start)) < abs(math.log(saved / start)) / 2:
                return {"saved": saved, "rate": worst}
    return None


def _built_again(process: Process, parts: list[dict[str, Any]], step: int) -> bool:
    """Whether an optimizer that steps after the load is like one that stepped before it, and as the file says."""
    sizes = {int(part["params"]) for part in parts if part["kind"] == "optimizer"}
    optimizers = [one for one in process.facts("optimizer") if one.get("steps")]
    alike = [(one.get("cls"), one.get("n_params"), one.get("numel"), tuple(one.get("built_lr") or ())) for one in optimizers]
    return any(alike.count(key) > 1 and (not sizes or key[1] in sizes) for key in alike)


def _jump(process: Process, step: int) -> tuple[float, float] | None:
    """The mean losses before and after a load in the middle of a run, where the latter is well above."""
    series = [(at, loss) for at, loss in process.steps.losses() if math.isfinite(loss)]
    before = [loss for at, loss in series if step - WINDOW <= at < step]
    after = [loss for at, loss in series if step <= at < step + WINDOW]
    if len(before) < WINDOW or len(after) < MIN_STEPS:
        return None
    one, two = fmean(before), fmean(after)
    return (one, two) if two > one + max(3 * pstdev(before), JUMP * abs(one)) else None


# ---- does the script go on counting from the file?


def _counter(run: Run, fact: Fact, parts: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The epoch or step of the file from which the script goes on counting."""
    place = site_place({"file": fact.file, "line": fact.line})
    file = project_of(run).file(place.file) if place is not None else None
    if file is None or place is None:
        return None
    counters = [part for part in parts if part["kind"] == "counter"]
    return next((part for part in counters if _goes_on(file, place, str(part["key"]))), None)


def _goes_on(file: SourceFile, place: Place, key: str) -> bool:
    """Whether the value under a key of something is read into a name or attribute, or into a range."""
    for node in file.nodes:
        if not _reads(node, key):
            continue
        for around in file.ancestors(node):
            if isinstance(around, ast.Call):
                name = query.dotted(around.func) or ""
                if name == "range":
                    return True
                if name not in ("int", "max", "min"):
                    break
            elif isinstance(around, ast.JoinedStr | ast.Dict):
                break
            elif isinstance(around, ast.Assign | ast.AnnAssign | ast.AugAssign):
                return True
    return False


def _reads(node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return isinstance(node.slice, ast.Constant) and node.slice.value == key
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop") and node.args:
        return isinstance(node.args[0], ast.Constant) and node.args[0].value == key
    return False


RULE = Rule(
    id="resume-incomplete",
    title="A training goes on without part of its state",
    severity=Severity.WARNING,
    needs=frozenset({"checkpoint"}),
    examine=examine,
)
