"""Records for the rules on the order of calls, decay, clipping, schedulers and loaded weights. Registered by ``scenarios``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records_builder import RecordBuilder
from scenarios import LOOP, around, scenario

STUCK = around(1.39, 60, 0.01)
CLEARED = LOOP.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()")
NO_STEP = CLEARED.replace("    optimizer.step()\n", "")
UNSTEPPED = {"steps": 0, "unstepped": {"backwards": 50, "moved": False}}


def _optimizer(record: RecordBuilder, key: int = 0, **data: Any) -> RecordBuilder:
    whole = {"cls": "SGD", "steps": 60, "backwards": 60, "n_params": 2, "cleared_checked": 40, "grad_steps": 40, "stale_checked": 40}
    whole |= {"groups": [{"lr": 0.1, "weight_decay": 0.0, "momentum": 0.0, "n_params": 2, "numel": 20}]}
    whole |= {"backward_site": record.site("backward()")}
    return record.fact("optimizer", key, whole | data, at="torch.optim.SGD")


def _turn(record: RecordBuilder, pattern: str, first: int, count: int, sites: dict[str, Any], **data: Any) -> RecordBuilder:
    whole = {"pattern": pattern, "first": first, "sites": sites, "backwards": pattern.count("B"), "backward_sites": 1}
    return record.fact("turn", pattern, whole | data, count=count)


# ---- no step


@scenario("missing-step", "never", "loss.backward()")
def no_step_at_all(folder: Path) -> RecordBuilder:
    return _optimizer(RecordBuilder(folder, NO_STEP), **UNSTEPPED).fact("backward", "b", {"count": 60}, at="loss.backward")


@scenario("missing-step", "uncalled", "optimizer.step")
def step_without_parentheses(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, CLEARED.replace("optimizer.step()", "optimizer.step"))
    return _optimizer(record, **UNSTEPPED).fact("backward", "b", {"count": 60}, at="loss.backward")


@scenario("missing-step", "unreached", "loss.backward()")
def step_out_of_reach(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, CLEARED.replace("    optimizer.step()", "    if done:\n        optimizer.step()"))
    return _optimizer(record, **UNSTEPPED | {"backwards": 90}).fact("backward", "b", {"count": 90}, at="loss.backward")


@scenario(None)
def step_still_to_come(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, CLEARED.replace("    optimizer.step()", "    if done:\n        optimizer.step()"))
    return _optimizer(record, **UNSTEPPED | {"backwards": 32}).fact("backward", "b", {"count": 32}, at="loss.backward")


@scenario(None)
def updated_by_hand(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, NO_STEP), steps=0, unstepped={"backwards": 50, "moved": True})
    return record.fact("backward", "b", {"count": 60}, at="loss.backward")


@scenario(None)
def every_step_skipped_by_the_scaler(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, NO_STEP), **UNSTEPPED).fact("backward", "b", {"count": 60}, at="loss.backward")
    return record.fact("scaler", 0, {"asked": 60, "skipped": 60, "trace": [[1, 65536.0]]})


# ---- accumulation


def _accumulated(folder: Path, source: str = CLEARED, losses: list[float] = STUCK, **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, source), **data).steps(losses)
    sites = {"B": record.site("loss.backward"), "S": record.site("optimizer.step")}
    _turn(record, "Z F B F B F B F B S", 1, 20, sites, from_forwards=True, cleared_between=0)
    record.fact("loss_call", "l", {"function": "cross_entropy", "reduction": "mean", "train_count": 80}, at="criterion(out")
    return record.fact("backward", "b", {"count": 80, "grad_fn": "NllLossBackward0"}, at="loss.backward")


@scenario("accumulation-not-averaged", "summed", "loss.backward()", "warning")
def four_summed(folder: Path) -> RecordBuilder:
    return _accumulated(folder)


@scenario("accumulation-not-averaged", "summed", "loss.backward()", "advice")
def four_summed_under_adam(folder: Path) -> RecordBuilder:
    return _accumulated(folder, cls="Adam")


@scenario("accumulation-not-averaged", "summed", "loss.backward()", "advice")
def four_summed_and_fine(folder: Path) -> RecordBuilder:
    return _accumulated(folder, losses=[2.0 / (1 + i) for i in range(60)])


@scenario(None)
def four_summed_with_a_rate_to_match(folder: Path) -> RecordBuilder:
    return _accumulated(folder, CLEARED.replace("lr=0.1", "lr=0.4 / 4"))


# ---- tensors of another model


def _stale(folder: Path, source: str, held: int) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, source), n_params=held)
    record.fact("backward", "b", {"count": 60, "deep": 4}, at="loss.backward")
    record.fact("module", 0, {"cls": "Net", "train_grad_calls": 60, "call_site": record.site("model(x)")})
    mine = {"is_parameter": True, "requires_grad": True, "shape": [4, 4], "numel": 16}
    for key in range(2):
        record.fact("param", key, mine, optimizer="0", root=None, used=0, had_grad=False)
    for key, name in ((2, "fc.weight"), (3, "fc.bias")):
        record.fact("param", key, mine, name=name, root="0", registered=True, used=4, reached=4, got_grad=4)
    if held > 2:
        record.fact(
            "param", 4, mine, name="emb.weight", root="0", registered=True, used=4, reached=4, got_grad=4, optimizer="0", had_grad=True
        )
    return record


@scenario("optimizer-stale-params", "part", "torch.optim.SGD")
def head_replaced(folder: Path) -> RecordBuilder:
    return _stale(folder, CLEARED.replace("criterion = ", "model.fc = nn.Linear(4, 9)\ncriterion = ", 1), 3)


@scenario("optimizer-stale-params", "whole", "torch.optim.SGD")
def model_from_elsewhere(folder: Path) -> RecordBuilder:
    return _stale(folder, CLEARED, 2)


# ---- schedulers


def _scheduled(folder: Path, **data: Any) -> RecordBuilder:
    source = CLEARED.replace("criterion = ", "plan = torch.optim.lr_scheduler.StepLR(optimizer, 5)\ncriterion = ", 1)
    record = RecordBuilder(folder, source.replace("    optimizer.step()", "    plan.step()\n    optimizer.step()"))
    _optimizer(record, step_site=record.site("optimizer.step")).steps([1.0 / (1 + i) for i in range(60)])
    whole = {"cls": "StepLR", "optimizer": "0", "steps": 60, "early": 1}
    whole |= {"step_site": record.site("plan.step"), "early_site": record.site("plan.step")}
    return record.fact("scheduler", 0, whole | data, at="StepLR")


@scenario("scheduler-before-optimizer", "early", "plan.step()", "warning")
def scheduler_first(folder: Path) -> RecordBuilder:
    return _scheduled(folder)


@scenario(None)
def schedule_wound_forward(folder: Path) -> RecordBuilder:
    return _scheduled(folder, early_site=None)


@scenario(None)
def first_steps_skipped(folder: Path) -> RecordBuilder:
    return _scheduled(folder).fact("scaler", 0, {"asked": 60, "skipped": 2, "trace": []})


# ---- decay


def _decayed(folder: Path, cls: str, samples: list[list[float]], losses: list[float] = STUCK) -> RecordBuilder:
    groups = [{"lr": 0.01, "weight_decay": 5.0, "momentum": 0.0, "n_params": 2, "numel": 20}]
    record = _optimizer(RecordBuilder(folder, CLEARED), cls=cls, groups=groups).steps(losses)
    return record.fact("update", 0, {"samples": samples, "tensors": 2})


SHRINKING = [[i, 5.0 * 0.8**i, 0.5, 25.0 * 0.8**i, 0.25 * 0.8**i] for i in range(8)]


@scenario("weight-decay-too-large", "shrink", "torch.optim.SGD")
def decay_over_the_gradient(folder: Path) -> RecordBuilder:
    return _decayed(folder, "SGD", SHRINKING)


@scenario("weight-decay-too-large", "shrink", "torch.optim.SGD")
def decay_apart_from_the_gradient(folder: Path) -> RecordBuilder:
    return _decayed(folder, "AdamW", SHRINKING)


@scenario(None)
def decay_and_it_learns(folder: Path) -> RecordBuilder:
    return _decayed(folder, "SGD", SHRINKING, [2.0 / (1 + i) for i in range(60)])


@scenario(None)
def decay_that_is_small(folder: Path) -> RecordBuilder:
    return _decayed(folder, "SGD", [[i, 5.0 * 0.8**i, 50.0, 25.0, 0.5] for i in range(8)], around(1.2, 60, 0.01))


# ---- clipping

CLIPPED = CLEARED.replace("    optimizer.step()", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-5)\n    optimizer.step()")


def _clipped(folder: Path, moves: float, function: str = "clip_grad_norm_", **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, CLIPPED)).steps(around(1.2, 60, 0.01))
    record.fact("update", 0, {"samples": [[i, 5.0, 1.0, 0.0, 5.0 * moves] for i in range(6)]})
    whole = {"function": function, "limit": 1e-5, "checked": 30, "clipped": 30, "ratio_sum": 3e-4, "norm_last": 1.0}
    return record.fact("clip", "c", whole | data, at="clip_grad_norm_")


@scenario("grad-clip-too-small", "norm", "clip_grad_norm_")
def clipped_to_nothing(folder: Path) -> RecordBuilder:
    return _clipped(folder, 1e-6)


@scenario("grad-clip-too-small", "value", "clip_grad_norm_")
def clipped_by_value_to_nothing(folder: Path) -> RecordBuilder:
    return _clipped(folder, 1e-6, "clip_grad_value_")


@scenario(None)
def clipped_with_a_rate_to_match(folder: Path) -> RecordBuilder:
    return _clipped(folder, 1e-2)


def _misplaced(folder: Path, source: str, limit: float, pattern: str, sites: dict[str, str], **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, source)).steps([2.0 / (1 + i) for i in range(60)])
    found = {letter: record.site(text) for letter, text in sites.items()}
    record.fact(
        "clip", "c", {"function": "clip_grad_norm_", "limit": limit, "checked": 30, "clipped": 3, "ratio_sum": 29.0}, at="clip_grad"
    )
    return _turn(record, pattern, 2, 20, found, **data)


LATE = CLEARED.replace("    optimizer.step()", "    optimizer.step()\n    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)")
EARLY = CLEARED.replace("    out = model", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    out = model")
SCALED = CLEARED.replace("    loss.backward()", "    scaler.scale(loss).backward()").replace(
    "    optimizer.step()", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    scaler.step(optimizer)"
)
PLAIN = {"C": "clip_grad_norm_", "S": "optimizer.step", "B": "loss.backward"}


@scenario("grad-clip-misplaced", "after-step", "clip_grad_norm_", "warning")
def clipped_after_the_step(folder: Path) -> RecordBuilder:
    return _misplaced(folder, LATE, 1.0, "C Z F B S", PLAIN, clipped_late=True)


@scenario("grad-clip-misplaced", "before-backward", "clip_grad_norm_", "warning")
def clipped_before_backward(folder: Path) -> RecordBuilder:
    return _misplaced(folder, EARLY, 1.0, "C F Z B S", PLAIN, clipped_late=True)


@scenario("grad-clip-misplaced", "scaled", "clip_grad_norm_", "warning")
def clipped_while_scaled(folder: Path) -> RecordBuilder:
    sites = {"C": "clip_grad_norm_", "G": "scaler.step", "S": "scaler.step"}
    record = _misplaced(folder, SCALED, 1.0, "Z F B C G S", sites, clipped_scaled=True)
    return record.fact("scaler", 0, {"asked": 60, "skipped": 0, "trace": [[1, 65536.0]]})


@scenario(None)
def norm_looked_at_after_the_step(folder: Path) -> RecordBuilder:
    return _misplaced(folder, LATE, float("inf"), "C Z F B S", PLAIN, clipped_late=True)


# ---- loaded weights


def _loaded(folder: Path, **data: Any) -> RecordBuilder:
    source = CLEARED.replace("model = Net()", "model = Net()\nmodel.load_state_dict(state, strict=False)")
    record = _optimizer(RecordBuilder(folder, source)).steps([2.0 / (1 + i) for i in range(60)])
    whole = {
        "cls": "Net",
        "strict": False,
        "given": 4,
        "own": 0,
        "unexpected": 4,
        "params": 3,
        "params_missing": 3,
        "numel": 60,
        "covered": 0,
    }
    whole |= {"missing_names": ["fc.weight", "fc.bias"], "unexpected_names": ["module.fc.weight", "module.fc.bias"]}
    return record.fact("load", "l", whole | data, at="load_state_dict")


@scenario("weights-not-loaded", "nothing", "load_state_dict", "warning")
def loaded_with_a_prefix(folder: Path) -> RecordBuilder:
    return _loaded(folder)


@scenario("weights-not-loaded", "little", "load_state_dict", "warning")
def loaded_hardly_anything(folder: Path) -> RecordBuilder:
    return _loaded(folder, unexpected=3, params_missing=2, covered=4, unexpected_names=["conv.weight"])


@scenario("weights-not-loaded", "own", "load_state_dict", "warning")
def loaded_its_own(folder: Path) -> RecordBuilder:
    return _loaded(folder, own=4, unexpected=0, params_missing=0, strict=True, missing_names=[], unexpected_names=[])


@scenario(None)
def loaded_by_a_second_attempt(folder: Path) -> RecordBuilder:
    return _loaded(folder, covered=60)
