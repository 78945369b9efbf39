"""Records that a rule must judge, one function each: what is in the record, and what must be found.

Together they reach every sentence of every page; test_pages.py checks that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from records_builder import RecordBuilder

LOOP = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = []
        self.fc = nn.Linear(4, 4)
        self.emb = nn.Embedding(10, 4)

    def forward(self, x):
        h = F.softmax(self.fc(x), dim=1)
        return h

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for x, y in loader:
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
"""
CLEAR_AFTER = LOOP.replace("    optimizer.step()", "    optimizer.zero_grad()\n    optimizer.step()")


@dataclass(frozen=True)
class Scenario:
    """A record and what must be found in it."""

    name: str
    build: Callable[[Path], RecordBuilder]
    rule: str | None
    """None: nothing may be found."""
    message: str = ""
    line: str | None = None
    """A text on the line that must be named."""
    severity: str = "error"


SCENARIOS: list[Scenario] = []


def around(level: float, n: int, swing: float) -> list[float]:
    """Values that swing about a level without a trend."""
    return [level + swing * math.sin(2.1 * i) for i in range(n)]


def scenario(rule: str | None, message: str = "", line: str | None = None, severity: str = "error") -> Callable[..., Any]:
    """Register a function as a scenario."""

    def register(build: Callable[[Path], RecordBuilder]) -> Callable[[Path], RecordBuilder]:
        SCENARIOS.append(Scenario(build.__name__, build, rule, message, line, severity))
        return build

    return register


# ---- the update


def _optimizer(record: RecordBuilder, key: int = 0, **data: Any) -> RecordBuilder:
    whole = {
        "cls": "SGD",
        "steps": 40,
        "backwards": 40,
        "n_params": 2,
        "zero_grads": 40,
        "stale_steps": 0,
        "stale_checked": 40,
        "stale_nonzero": 0,
    }
    whole |= {"cleared_steps": 0, "cleared_checked": 40, "empty_steps": 0, "grad_steps": 40}
    step = None if "step_site" in data else record.site("optimizer.step")
    whole |= {"step_site": step, "backward_site": record.site("loss.backward")}
    return record.fact("optimizer", key, whole | data, at="torch.optim.SGD")


def _mode(folder: Path, source: str = LOOP, switched: str | None = "model.eval()", **data: Any) -> RecordBuilder:
    source = source.replace("for x", "model.eval()\nfor x", 1)
    record = _optimizer(RecordBuilder(folder, source))
    record.fact("module", 0, {"cls": "Net", "call_site": record.site("out = model"), "calls": 40, "class_sites": {}}, at="class Net")
    whole = {
        "dependent": 2,
        "kinds": {"Dropout": 1, "BatchNorm1d": 1},
        "dropouts": 1,
        "stepping": 40,
        "stepping_eval": 0,
        "stepping_since": 30,
        "passes": 0,
    }
    whole |= {"passes_train": 0, "pass_blocks_train": 0, "last_eval": False, "eval_site": record.site(switched), "pass_site": None}
    return record.fact("mode", 0, whole | data)


@scenario("eval-mode-in-training", "since", "model.eval()")
def eval_mode_since_the_validation(folder: Path) -> RecordBuilder:
    return _mode(folder, stepping_eval=30, last_eval=True, first_eval_step=10)


@scenario("eval-mode-in-training", "always", "model.eval()")
def eval_mode_always(folder: Path) -> RecordBuilder:
    return _mode(folder, stepping_eval=40, last_eval=True, first_eval_step=0)


@scenario("eval-mode-in-training", "never-trained", "out = model")
def eval_mode_of_unknown_origin(folder: Path) -> RecordBuilder:
    return _mode(folder, switched=None, stepping_eval=40, last_eval=True, first_eval_step=0)


def _evaluated(folder: Path, **data: Any) -> RecordBuilder:
    return _mode(folder, passes=4, passes_train=4, pass_blocks_train=2, **data)


def _called_dropout(folder: Path, **counts: int) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP)).steps(around(0.5, 40, 0.01))
    record.fact("module", 0, {"cls": "Net", "n_trainable": 2}, at="class Net")
    data = {"function": "dropout", "p": 0.5, "steps": 24, "passes_train": 0, "passes_eval": 0, "blocks": 1}
    data["pass_site"] = record.site("loss = criterion")
    return record.fact("functional_dropout", "d", data | counts, at="out = model")


@scenario("missing-eval-mode", "function", "out = model", "warning")
def a_function_that_does_not_know_the_mode(folder: Path) -> RecordBuilder:
    return _called_dropout(folder, passes_eval=5)


@scenario("missing-eval-mode", "function-train", "loss = criterion", "warning")
def a_function_in_a_model_that_was_not_switched(folder: Path) -> RecordBuilder:
    return _called_dropout(folder, passes_train=5)


@scenario(None)
def a_function_in_roll_outs(folder: Path) -> RecordBuilder:
    return _called_dropout(folder, passes_train=24, blocks=24)


@scenario("missing-eval-mode", "train", None, "warning")
def evaluated_with_dropout(folder: Path) -> RecordBuilder:
    return _evaluated(folder, pass_dropout=4)


@scenario("missing-eval-mode", "train", None, "warning")
def evaluated_with_norm(folder: Path) -> RecordBuilder:
    return _evaluated(folder, pass_norm=4)


@scenario("missing-eval-mode", "train", None, "warning")
def evaluated_with_both(folder: Path) -> RecordBuilder:
    return _evaluated(folder, pass_norm=4, pass_dropout=4)


def _one_value(folder: Path, loader: bool) -> RecordBuilder:
    source = LOOP.replace("for x", "loader = DataLoader(data, batch_size=16)\nfor x", 1)
    record = _optimizer(RecordBuilder(folder, "from torch.utils.data import DataLoader\n" + source, exit_code=1)).meta(steps=4)
    if loader:
        record.fact("loader", 0, {"batch_size": 16, "built_site": record.site("DataLoader(data")}, at="for x", count=5)
    message = "Expected more than 1 value per channel when training, got input size torch.Size([1, 8])"
    return record.fact("exception", "last", {"type": "ValueError", "message": message, "stack": []}, at="out = model")


@scenario("batchnorm-batch-of-one", "last", "DataLoader(data")
def one_left_over(folder: Path) -> RecordBuilder:
    return _one_value(folder, loader=True)


@scenario("batchnorm-batch-of-one", "one", "out = model")
def one_value_a_channel(folder: Path) -> RecordBuilder:
    return _one_value(folder, loader=False)


@scenario("dropout-p-inverted", "high", "nn.Linear(4")
def dropout_of_nine_tenths(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP)).fact("dropout", "x", {"p": 0.9, "cls": "Dropout", "modules": 1}, at="nn.Linear(4")
    return _probe(record, "without-dropout", _arms(control=(2.3, 2.2), without=(2.3, 0.8)))


def _reshaped(folder: Path, before: list[int], after: list[int], classes: int = 4, **data: Any) -> RecordBuilder:
    source = LOOP.replace("    def forward(self, x):", "    def forward(self, x):\n        x = x.view(4, 8, 3)")
    record = _module(_optimizer(RecordBuilder(folder, source)))
    record.fact("loss_call", "x", {"function": "cross_entropy", "n_classes": classes, "count": 40}, at="loss = criterion")
    whole = {"count": 2, "grad": 2, "batch": 16, "from": before, "to": after, "op": "view", "made_by": "mm", "read_by": "addmm"}
    return record.fact("reshape", "x", whole | data, at="x = x.view")


def _dependence(record: RecordBuilder, moved: int) -> RecordBuilder:
    return _probe(record, "sample-dependence", {}, batch=16, rows=15, moved=moved, out_shape=[16, 4], largest=0.5)


@scenario("view-mixes-dims", "samples", "x = x.view")
def samples_in_other_rows(folder: Path) -> RecordBuilder:
    return _reshaped(folder, [2, 16, 20], [16, 40])


@scenario("view-mixes-dims", "samples", "x = x.view")
def samples_in_other_rows_and_tried(folder: Path) -> RecordBuilder:
    return _dependence(_reshaped(folder, [7, 16, 20], [16, 7, 20]), 12)


@scenario(None)
def samples_in_other_rows_that_do_not_meet(folder: Path) -> RecordBuilder:
    return _dependence(_reshaped(folder, [2, 16, 20], [16, 40]), 0)


@scenario("view-mixes-dims", "swapped", "x = x.view")
def sizes_exchanged(folder: Path) -> RecordBuilder:
    return _reshaped(folder, [16, 9, 9, 5], [16, 5, 9, 9])


@scenario("view-mixes-dims", "axis", "x = x.view")
def classes_spread(folder: Path) -> RecordBuilder:
    return _reshaped(folder, [16, 4, 20], [320, 4])


@scenario("view-mixes-dims", "axis", "x = x.view")
def heads_without_exchange(folder: Path) -> RecordBuilder:
    return _reshaped(folder, [16, 8, 64], [16, 4, 8, 16], read_by="bmm")


@scenario(None)
def frames_stacked(folder: Path) -> RecordBuilder:
    return _reshaped(folder, [16, 64, 32], [16, 32, 64])


@scenario("view-mixes-dims", "time", "self.fc = nn.Linear")
def batch_as_time(folder: Path) -> RecordBuilder:
    record = _dependence(_module(_optimizer(RecordBuilder(folder, LOOP))), 12)
    record.fact("loader", 0, {"batch_size": 16, "collate": "torch.utils.data._utils.collate.default_collate"}, at="for x", count=40)
    whole = {"cls": "GRU", "name": "fc", "shape": [16, 5, 3], "batch": 16, "calls": 3, "batch_as_time": 3}
    return record.fact("recurrent", "GRU/fc", whole, at="h = F.softmax")


RESUME = LOOP.replace("for x", 'state = torch.load("last.pt")\nmodel.load_state_dict(state["model"])\nstart = state["epoch"]\nfor x', 1)
WEIGHTS = {"key": "model", "kind": "weights", "tensors": 4}
EPOCH = {"key": "epoch", "kind": "counter", "value": 5}
MOMENTS = {"key": "optimizer", "kind": "optimizer", "states": 4, "lrs": [0.01], "initial_lrs": [0.1], "params": 4}


def _resumed(
    folder: Path, *parts: dict[str, Any], source: str = RESUME, cls: str = "Adam", after: float = 0.5, **data: Any
) -> RecordBuilder:
    record = RecordBuilder(folder, source).steps([*around(0.5, 30, 0.01), *around(after, 30, 0.01)])
    _optimizer(record, cls=cls, rate_trace=[[1, 0.1]], loaded_first=True, built_lr=[0.1], groups=[{"lr": 0.1}])
    record.fact("load", "x", {"numel": 40, "numel_missing": 0, "unexpected": 0, "params": 4, "covered": 40}, at="model.load_state")
    return record.fact("checkpoint", "x", {"name": "last.pt", "step": 0, "parts": [WEIGHTS, *parts]} | data, at="torch.load")


def _restored(record: RecordBuilder, what: str) -> RecordBuilder:
    return record.fact("restore", f"{what}/0", {"what": what, "step": 0, "count": 1}, at="start")


@scenario("resume-incomplete", "optimizer", "model.load_state", "warning")
def moments_left_in_the_file(folder: Path) -> RecordBuilder:
    return _resumed(folder, EPOCH, MOMENTS)


@scenario("resume-incomplete", "not-saved", "model.load_state", "warning")
def moments_never_saved(folder: Path) -> RecordBuilder:
    return _resumed(folder, EPOCH)


@scenario(None)
def plain_sgd_goes_on(folder: Path) -> RecordBuilder:
    return _resumed(folder, EPOCH, cls="SGD")


@scenario(None)
def weights_to_begin_from(folder: Path) -> RecordBuilder:
    return _resumed(folder, EPOCH, MOMENTS, source=RESUME.replace('start = state["epoch"]', 'print(state["epoch"])'))


def _resumed_in_the_middle(folder: Path, *parts: dict[str, Any]) -> RecordBuilder:
    source = RESUME.replace('start = state["epoch"]\n', "")
    record = _resumed(folder, *parts, source=source, after=1.5, step=30, written_at=25)
    for key in range(2):
        _optimizer(record, key, cls="Adam", built_lr=[0.1], n_params=4, loaded_first=bool(key))
    return record


@scenario("resume-incomplete", "optimizer-jump", "model.load_state", "warning")
def moments_left_and_a_jump(folder: Path) -> RecordBuilder:
    return _resumed_in_the_middle(folder, MOMENTS)


@scenario("resume-incomplete", "not-saved-jump", "model.load_state", "warning")
def moments_never_saved_and_a_jump(folder: Path) -> RecordBuilder:
    return _resumed_in_the_middle(folder)


@scenario("resume-incomplete", "scheduler", "model.load_state", "warning")
def schedule_begun_anew(folder: Path) -> RecordBuilder:
    record = _restored(_resumed(folder, EPOCH, MOMENTS), "optimizer")
    return record.fact("scheduler", 0, {"cls": "StepLR", "optimizer": "0", "steps": 3, "settings": {}, "early": 0}, at="start")


@scenario("resume-incomplete", "scaler", "model.load_state", "warning")
def scale_begun_anew(folder: Path) -> RecordBuilder:
    record = _restored(_resumed(folder, EPOCH, MOMENTS, {"key": "scaler", "kind": "scaler", "scale": 1024.0}), "optimizer")
    return record.fact("scaler", 0, {"asked": 40, "skipped": 0, "trace": [[0, 65536.0]]}, at="start")


def _norm(folder: Path, shift: float, running: float, momentum: float = 0.1, count: int = 32, optimizers: int = 1) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP).steps(around(0.5, 300, 0.01))
    for key in range(optimizers):
        _optimizer(record, key)
    looks = [[step, shift, 0.1, count] for step in (100, 150, 200)]
    record.fact("norm", "n/4", {"name": "n", "cls": "BatchNorm1d", "momentum": momentum, "looks": looks}, at="self.fc = nn.Linear")
    return _probe(record, "running-statistics", _arms(control=(0.5, 0.5), running=(running, 1.0)))


@scenario("batchnorm-eval-mismatch", "far", "self.fc = nn.Linear", "warning")
def statistics_that_came_nowhere(folder: Path) -> RecordBuilder:
    return _norm(folder, 1.5, 2.0, momentum=0.001)


@scenario("batchnorm-eval-mismatch", "far", "self.fc = nn.Linear", "warning")
def statistics_of_few_values(folder: Path) -> RecordBuilder:
    return _norm(folder, 2.0, 2.0, count=4)


@scenario("batchnorm-eval-mismatch", "far", "self.fc = nn.Linear", "warning")
def statistics_of_unlike_batches(folder: Path) -> RecordBuilder:
    return _norm(folder, 1.5, 2.0)


@scenario(None)
def statistics_that_change_nothing(folder: Path) -> RecordBuilder:
    return _norm(folder, 1.5, 0.6)


@scenario(None)
def statistics_of_two_players(folder: Path) -> RecordBuilder:
    return _norm(folder, 1.5, 2.0, optimizers=2)


def _state(folder: Path, source: str = LOOP, **data: Any) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, source)))
    record.fact("loader", 0, {"batch_size": 16, "shuffles": True}, at="for x", count=40)
    whole = {"how": "argument", "attribute": None, "read_site": None, "calls": 20, "carried": 19, "shuffled": 0, "ordered": 0}
    return record.fact("state", "0/argument", {**whole, "compared": 0, "continued": 0.0, **data}, at="out = model")


@scenario("hidden-state-not-reset", "shuffled", "out = model", "warning")
def state_over_shuffled_batches(folder: Path) -> RecordBuilder:
    return _state(folder, shuffled=19)


@scenario("hidden-state-not-reset", "shuffled", "h = F.softmax", "warning")
def state_kept_in_the_model(folder: Path) -> RecordBuilder:
    record = _state(folder)
    site = record.site("h = F.softmax")
    return _state_attribute(record, site)


def _state_attribute(record: RecordBuilder, site: dict[str, Any] | None) -> RecordBuilder:
    whole = {"how": "attribute", "attribute": "state", "read_site": site, "calls": 3, "carried": 3, "shuffled": 3, "ordered": 0}
    return record.fact("state", "0/attribute", {**whole, "compared": 0, "continued": 0.0}, at="out = model")


@scenario("hidden-state-not-reset", "tokens", "out = model", "warning")
def state_over_other_texts(folder: Path) -> RecordBuilder:
    return _state(folder, compared=18, continued=0.9)


@scenario(None)
def state_over_a_text_that_goes_on(folder: Path) -> RecordBuilder:
    return _state(folder, compared=18, continued=18.0, shuffled=19)


@scenario("hidden-state-not-reset", "picked", "out = model", "warning")
def state_over_picked_samples(folder: Path) -> RecordBuilder:
    source = LOOP.replace("for x, y in loader:", "order = torch.randperm(100)\nfor rows in order.split(10):\n    x, y = data[rows]")
    record = _module(_optimizer(RecordBuilder(folder, source)))
    whole = {"how": "argument", "attribute": None, "read_site": None, "calls": 20, "carried": 19, "shuffled": 0, "ordered": 0}
    return record.fact("state", "0/argument", {**whole, "compared": 0, "continued": 0.0}, at="out = model")


@scenario(None)
def state_over_samples_in_order(folder: Path) -> RecordBuilder:
    return _state(folder, ordered=19)


def _evaluated_often(folder: Path, losses: list[float], training: list[float]) -> RecordBuilder:
    record = _cross_entropy(_optimizer(RecordBuilder(folder, LOOP)), train_count=40).steps(training)
    each = len(training) // len(losses)
    passes = [[each * (i + 1), loss, 4] for i, loss in enumerate(losses)]
    record.fact("backward", "x", {}, at="loss.backward", count=len(training))
    return record.fact("evaluation", "x", {"function": "cross_entropy", "caller": None, "passes": passes}, at="criterion(out")


@scenario("overfitting", "gap", "criterion(out", "advice")
def curves_that_open(folder: Path) -> RecordBuilder:
    return _evaluated_often(folder, [1.2, 0.9, 0.7, 0.75, 0.82, 0.9, 0.95, 1.0], [1.3 * 0.98**i for i in range(80)])


@scenario(None)
def curves_that_stay_apart(folder: Path) -> RecordBuilder:
    return _evaluated_often(folder, [1.2, 0.9, 0.7, 0.71, 0.72, 0.7, 0.71, 0.72], [1.3 * 0.98**i for i in range(80)])


@scenario("graph-broken-partial", "term", "h = F.softmax")
def one_head_cut_off(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP))
    record.fact("backward", "x", {"count": 40, "reached_max": 2, "deep": 5}, at="loss.backward")
    record.fact("graph_cut", "item@x", {"op": "item", "count": 5, "segments": 5, "to_loss": 0, "params": ["0", "1"]}, at="h = F.softmax")
    for key, name in enumerate(("body.weight", "head.weight")):
        data = {"name": name, "root": "0", "numel": 4, "is_parameter": True, "registered": True, "requires_grad": True, "optimizer": "0"}
        reached = 0 if key else 5
        record.fact("param", key, data | {"used_grad": 5, "reached": reached, "got_grad": reached, "had_grad": bool(reached)})
    return record


INPLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [4, 3]], "
    "which is output 0 of SigmoidBackward0, is at version 1; expected version 0 instead."
)


def _inplace(folder: Path, **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP, exit_code=1)).fact(
        "exception", "last", {"type": "RuntimeError", "message": INPLACE, "stack": []}, at="loss.backward"
    )
    if data:
        record.fact("inplace", "x", {"op": "mul_", "shape": [4, 3], "made_by": None, "made_site": None} | data, at="h = F.softmax")
    return record


@scenario("inplace-modifies-saved", "changed", "out = model(x)")
def changed_in_place(folder: Path) -> RecordBuilder:
    record = _inplace(folder, segment=0, changes=[[0, 12]])
    record.fact("inplace", "y", {"op": "sigmoid_", "shape": [4, 3], "segment": 0, "changes": [[0, 9]]}, at="out = model(x)")
    record.fact("inplace_saver", "4", {"node": "MulBackward0", "number": 4, "segment": 0}, at="nn.Linear")
    return record.fact("inplace_saver", "8", {"node": "SigmoidBackward0", "number": 8, "segment": 0}, at="h = F.softmax")


@scenario("inplace-modifies-saved", "changed-only", "h = F.softmax")
def changed_in_place_by_whom(folder: Path) -> RecordBuilder:
    return _inplace(folder, op="add_")


@scenario("inplace-modifies-saved", "saved-only", "h = F.softmax")
def changed_where(folder: Path) -> RecordBuilder:
    return _inplace(folder).fact("inplace_saver", "8", {"node": "ExpBackward0", "number": 8, "segment": 0}, at="h = F.softmax")


@scenario("inplace-modifies-saved", "step", "optimizer.step")
def changed_by_the_step(folder: Path) -> RecordBuilder:
    data = {"name": "fc.weight", "shape": [3, 4], "numel": 12, "optimizer": "0", "is_parameter": True, "used_grad": 1, "had_grad": True}
    return _inplace(folder).fact("param", 0, data)


@scenario("inplace-modifies-saved", "error", "loss.backward")
def changed_somewhere(folder: Path) -> RecordBuilder:
    return _inplace(folder)


FUNCTION = LOOP.replace(
    "class Net",
    "class Own(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.kept = x\n        return x * x\n\n"
    "    @staticmethod\n    def backward(ctx, grad_output):\n        return 2 * ctx.kept\n\n\nclass Net",
    1,
)


@scenario("custom-backward-wrong-count", "raised", "return 2 * ctx.kept")
def one_gradient_for_two_inputs(folder: Path) -> RecordBuilder:
    text = FUNCTION.replace("def forward(ctx, x)", "def forward(ctx, x, power)")
    record = _optimizer(RecordBuilder(folder, text)).fact("function", "Own@x", {"cls": "Own"}, at="def backward")
    error = "RuntimeError: function OwnBackward returned an incorrect number of gradients (expected 2, got 1)"
    return record.fact("backward", "x", {"failed": 1, "error": error}, at="loss.backward")


@scenario("custom-backward-wrong-count", "raised", "return 2 * ctx.kept")
def three_gradients_for_one_input(folder: Path) -> RecordBuilder:
    error = "function OwnBackward returned an incorrect number of gradients (expected 1, got 3)"
    return _optimizer(RecordBuilder(folder, FUNCTION)).fact("backward", "x", {"failed": 1, "error": error}, at="loss.backward")


def _idle(folder: Path, used: int) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP))
    site = {"Net": record.site("class Net")}
    record.fact("module", 0, {"cls": "Net", "qualname": "__main__.Net", "class_sites": site}, at="class Net")
    for key, name in enumerate(("fc.weight", "fc.bias", "emb.weight")):
        data = {"name": name, "root": "0", "numel": 4, "is_parameter": True, "registered": True, "requires_grad": True, "optimizer": "0"}
        reached = 0 if name.startswith("emb") else 5
        record.fact("param", key, data | {"used": 5 if reached else used, "reached": reached, "had_grad": bool(reached)})
    return record


@scenario("module-unused", "never", "self.emb", "advice")
def never_called(folder: Path) -> RecordBuilder:
    return _idle(folder, 0)


@scenario("module-unused", "dropped", "self.emb", "advice")
def called_for_nothing(folder: Path) -> RecordBuilder:
    return _idle(folder, 5)


STATE = LOOP.replace("for x", "state = None\nfor x").replace("out = model(x)", "out, state = model(x, state)")


def _carried(folder: Path, **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, STATE)).fact("backward", "x", {"count": 9} | data, at="loss.backward", count=9)
    return record.fact("carried", "call@x", {"how": "call", "tuple": True}, at="out, state")


def _added(folder: Path, **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP)).fact("backward", "x", {"count": 9} | data, at="loss.backward", count=9)
    read = {"how": "read", "again": 1, "loss": 1, "backward_site": record.site("loss.backward"), "made_site": None}
    return record.fact("carried", "read@x", read, at="loss = criterion")


AGAIN = {"failed": 1, "error": "RuntimeError: Trying to backward through the graph a second time (or …"}
CHAINS = {"chains": [[number, number, 60 * number] for number in range(2, 10)]}


@scenario("hidden-not-detached", "raised", "out, state")
def state_carried_and_raised(folder: Path) -> RecordBuilder:
    return _carried(folder, **AGAIN)


@scenario("hidden-not-detached", "grows", "out, state")
def state_carried_and_growing(folder: Path) -> RecordBuilder:
    return _carried(folder, **CHAINS)


@scenario("hidden-not-detached", "raised-loss", "loss = criterion")
def losses_added_and_raised(folder: Path) -> RecordBuilder:
    return _added(folder, **AGAIN)


@scenario("hidden-not-detached", "grows-loss", "loss = criterion")
def losses_added_and_growing(folder: Path) -> RecordBuilder:
    return _added(folder, **CHAINS)


@scenario("hidden-not-detached", "raised", "out, state")
def state_carried_by_the_text(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, STATE))
    return record.fact("backward", "x", {"count": 2} | AGAIN, at="loss.backward", count=2)


@scenario(None)
def a_window_of_three_chunks(folder: Path) -> RecordBuilder:
    return _carried(folder, chains=[[2, 2, 120], [3, 3, 180], [9, 3, 180]])


def _function(folder: Path, **data: Any) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, FUNCTION)).fact("function", "Own@x", {"cls": "Own"}, at="def backward")
    checked = {"holds": [], "deliberate": False, "ignores_grad_output": False, "stale": False, "inputs": [], "together": 2} | data
    return record.fact("probe", "custom-functions", {"name": "custom-functions", "made": True, "functions": {"Own": checked}})


@scenario("custom-backward-missing-grad-output", "same", "return 2 * ctx.kept")
def grad_output_ignored(folder: Path) -> RecordBuilder:
    given = {"index": 0, "error": 1.1, "factor": 0.3, "spread": 4.0, "shape": [4, 4]}
    return _function(folder, ignores_grad_output=True, ignored=[0], inputs=[given], shape=[4, 4])


@scenario("custom-backward-missing-grad-output", "unit", "return 2 * ctx.kept", "advice")
def grad_output_ignored_at_the_end(folder: Path) -> RecordBuilder:
    return _function(folder, ignores_grad_output=True, ignored=[0], unit=True)


def _formula(folder: Path, factor: float, spread: float, error: float = 0.5, **data: Any) -> RecordBuilder:
    return _function(folder, inputs=[{"index": 0, "error": error, "factor": factor, "spread": spread}], **data)


@scenario("custom-backward-wrong-formula", "factor", "return 2 * ctx.kept")
def off_by_a_factor(folder: Path) -> RecordBuilder:
    return _formula(folder, 0.5, 0.0)


@scenario("custom-backward-wrong-formula", "differs", "return 2 * ctx.kept")
def off_somehow(folder: Path) -> RecordBuilder:
    return _formula(folder, 0.5, 0.7)


@scenario("custom-backward-wrong-formula", "nothing", "return 2 * ctx.kept")
def gives_nothing(folder: Path) -> RecordBuilder:
    return _formula(folder, 0.0, 0.0, 1.0)


@scenario("custom-backward-wrong-formula", "deliberate", "return 2 * ctx.kept", "advice")
def straight_through(folder: Path) -> RecordBuilder:
    return _formula(folder, 3.0, 1.0, deliberate=True)


@scenario("custom-backward-wrong-formula", "shape", "return 2 * ctx.kept")
def gradient_of_another_shape(folder: Path) -> RecordBuilder:
    text = "Function OwnBackward returned an invalid gradient at index 0 - got [4, 4] but expected shape compatible with [4]"
    return _function(folder).fact("backward", "x", {"failed": 1, "error": f"RuntimeError: {text}"}, at="loss.backward")


@scenario("custom-backward-stale-tensor", "differs", "ctx.kept = x")
def overwritten_in_between(folder: Path) -> RecordBuilder:
    return _function(folder, stale=True, holds=["kept"])


@scenario("custom-backward-stale-tensor", "alone", "ctx.kept = x", "advice")
def could_be_overwritten(folder: Path) -> RecordBuilder:
    return _function(folder, stale=True, holds=["kept"], together=1)


def _nonfinite(
    folder: Path, event: dict[str, Any] | None = None, batch: dict[str, Any] | None = None, source: str = LOOP, **data: Any
) -> RecordBuilder:  # fmt: skip
    record = _optimizer(RecordBuilder(folder, source)).fact("backward", "x", {"count": 40}, at="loss.backward")
    whole = {"op": "sqrt", "phase": "forward", "forward_op": None, "node": None, "site": record.site("h = F.softmax"), "dtype": "float32"}
    whole |= {"inputs": [{"min": 0.0, "max": 9.0, "finite": True, "dtype": "float32"}], "given": [0.0], "rows": [3], "indices": [71]}
    whole |= {"count": 1, "float32_finite": None, "reduced": 4}
    found = {"step": 12, "kind": "forward", "loss": "nan", "before": [0.7, 0.6, 0.65], "batch": batch or {}, "events": []}
    if event is not None:
        found["events"] = [whole | event]
    return record.fact("nonfinite", 1, found | data)


def _register_numbers() -> None:
    for rule, op in (("sqrt-zero-grad", "sqrt"), ("log-zero", "log"), ("div-zero-std", "div"), ("exp-overflow", "exp")):

        def forward(folder: Path, op: str = op) -> RecordBuilder:
            return _nonfinite(folder, {"op": op})

        def backward(folder: Path, op: str = op) -> RecordBuilder:
            return _nonfinite(folder, {"op": "mul", "phase": "backward", "forward_op": op}, kind="backward", loss="0.6")

        forward.__name__, backward.__name__ = f"{op}_of_no_number", f"{op}_whose_gradient_is_none"
        scenario(rule, "forward", "h = F.softmax")(forward)
        scenario(rule, "backward", "h = F.softmax")(backward)


_register_numbers()


@scenario("nan-in-data", "nan", "for x, y")
def a_missing_value(folder: Path) -> RecordBuilder:
    bad = {"kind": "nonfinite", "part": 0, "rows": [3], "indices": [71], "column": 2, "value": "nan", "count": 1}
    return _nonfinite(folder, batch=bad).fact("loader", 0, {"batch_size": 8}, at="for x, y", count=9)


@scenario("bad-data-row", "row", "out = model")
def a_code_for_missing(folder: Path) -> RecordBuilder:
    bad = {"kind": "outlier", "part": 0, "rows": [3], "indices": [], "column": 2, "value": 1e30, "usual": 1.2, "count": 1}
    record = _nonfinite(folder, batch=bad, kind="leap", loss="1e+60")
    return record.fact("module", 0, {"cls": "Net", "call_site": record.site("out = model"), "class_sites": {}})


@scenario(None)
def overflow_of_a_diverging_training(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, {"op": "exp"}, before=[0.7, 4.0, 90.0, 5e4])


@scenario("fp16-overflow", "operator", "h = F.softmax")
def too_large_for_half(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, {"op": "mul", "dtype": "float16", "float32_finite": True})


@scenario("fp16-overflow", "gradient", "h = F.softmax")
def gradient_too_large_for_half(folder: Path) -> RecordBuilder:
    event = {"op": "mul", "phase": "backward", "forward_op": "addmm", "dtype": "float16", "float32_finite": True}
    return _nonfinite(folder, event, kind="backward")


@scenario("fp16-overflow", "constant", "h = F.softmax")
def constant_too_large_for_half(folder: Path) -> RecordBuilder:
    message = "value cannot be converted to type c10::Half without overflow"
    record = _optimizer(RecordBuilder(folder, LOOP, exit_code=1))
    return record.fact("exception", "last", {"type": "RuntimeError", "message": message, "stack": []}, at="h = F.softmax")


_MASKED = {"op": "_softmax", "inputs": [{"min": "-inf", "max": "2.5", "finite": False, "nan": False, "dtype": "float32"}], "nan": True}


@scenario("div-zero-std", "masked", "h = F.softmax")
def softmax_of_a_masked_row(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, _MASKED | {"given": ["-inf"]})


@scenario("log-zero", "product", "h = F.softmax")
def nothing_times_minus_infinity(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, _MASKED | {"op": "mul", "given": [0.0, "-inf"]})


@scenario("div-zero-std", "nothing", "h = F.softmax", "warning")
def mean_of_nothing_that_passed(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, {"op": "nll_loss_forward", "nan": True}).steps([0.7] * 12 + [math.nan] + [0.6] * 20)


@scenario("div-zero-std", "single", "h = F.softmax")
def deviation_of_one_value(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, {"op": "std", "nan": True, "reduced": 1})


@scenario("div-zero-std", "column", "x = raw")
def column_without_spread(folder: Path) -> RecordBuilder:
    bad = {"kind": "nonfinite", "part": 0, "rows": [0, 1], "indices": [], "column": 2, "whole_column": True, "value": "nan", "count": 16}
    return _nonfinite(folder, batch=bad, source=LOOP.replace("for x, y", "spread = raw.std(0)\nx = raw / spread\nfor x, y", 1))


@scenario(None)
def column_divided_by_its_guarded_spread(folder: Path) -> RecordBuilder:
    bad = {"kind": "none", "whole_column": True, "part": 0, "column": 2, "value": "nan"}
    return _nonfinite(folder, batch=bad, source=LOOP.replace("for x, y", "x = raw / (raw.std(0) + 1e-8)\nfor x, y", 1))


@scenario(None)
def power_of_a_huge_number(folder: Path) -> RecordBuilder:
    return _nonfinite(folder, {"op": "pow", "inputs": [{"min": -1.0, "max": 3e19, "finite": True, "dtype": "float32"}]})


def _half(folder: Path, looks: list[list[float]], **data: Any) -> RecordBuilder:
    whole = {"dtypes": ["bfloat16"], "share": 1.0, "eps": 1e-8, "adaptive": True, "own": True, "copies": False, "looks": looks}
    record = _optimizer(RecordBuilder(folder, LOOP), cls="Adam")
    record.fact("update", 0, {"samples": [[0, 3.0, 0.5, 0.0, 0.001]], "tensors": 2})
    return record.fact("half_weights", 0, whole | data)


_LOST = [[step, 10, 190, 0, 0.09, 5e-5] for step in (0, 1, 2, 4, 8)]


@scenario("bf16-update-lost", "unchanged", "torch.optim.SGD", "warning")
def updates_of_adam_lost(folder: Path) -> RecordBuilder:
    return _half(folder, _LOST)


@scenario("bf16-update-lost", "unchanged", "torch.optim.SGD", "warning")
def updates_of_sgd_lost(folder: Path) -> RecordBuilder:
    return _half(folder, _LOST, adaptive=False)


@scenario(None)
def updates_lost_in_a_warm_up(folder: Path) -> RecordBuilder:
    return _half(folder, [*_LOST[:-1], [8, 180, 20, 0, 0.09, 5e-3]])


@scenario(None)
def updates_kept_in_float32(folder: Path) -> RecordBuilder:
    return _half(folder, _LOST, copies=True)


@scenario(None)
def rate_that_moves_nothing_anywhere(folder: Path) -> RecordBuilder:
    return _half(folder, [[*look[:5], 1e-9] for look in _LOST])


@scenario(None)
def too_few_looks_at_half_weights(folder: Path) -> RecordBuilder:
    return _half(folder, _LOST[:3])


@scenario("fp16-underflow", "epsilon", "torch.optim.SGD")
def epsilon_of_nothing(folder: Path) -> RecordBuilder:
    return _half(folder, [[0, 100, 0, 60, 0.1, 1e-3]], dtypes=["float16"])


@scenario(None)
def epsilon_that_float16_holds(folder: Path) -> RecordBuilder:
    return _half(folder, [[0, 100, 0, 60, 0.1, 1e-3]], dtypes=["float16"], eps=1e-4)


def _half_range(folder: Path, **data: Any) -> RecordBuilder:
    whole = {"name": "half-range", "made": True, "at_step": 12, "scale": 65536.0, "elements": 1000, "tensors": 4, "lost_tensors": 1}
    record = _optimizer(RecordBuilder(folder, LOOP)).fact("backward", "x", {"count": 40}, at="loss.backward", count=40)
    return record.fact("probe", "half-range", whole | data)


@scenario("fp16-underflow", "gradients", "loss.backward")
def gradients_lost(folder: Path) -> RecordBuilder:
    return _half_range(folder, lost=800, norm_share=0.02)


@scenario("fp16-underflow", "gradients", "loss.backward")
def large_part_of_the_norm_lost(folder: Path) -> RecordBuilder:
    return _half_range(folder, lost=200, norm_share=0.4)


@scenario(None)
def few_gradients_lost(folder: Path) -> RecordBuilder:
    return _half_range(folder, lost=200, norm_share=0.01)


def _turn(record: RecordBuilder, pattern: str, first: int, count: int, **data: Any) -> RecordBuilder:
    sites = {"Z": record.site("optimizer.zero_grad"), "B": record.site("loss.backward"), "S": record.site("optimizer.step")}
    whole = {"pattern": pattern, "first": first, "sites": sites, "backwards": pattern.count("B"), "backward_sites": 1, "cleared_between": 0}
    return record.fact("turn", pattern, whole | data, count=count)


BACKWARD_LAST = LOOP.replace(
    "    loss.backward()\n    optimizer.step()", "    optimizer.zero_grad()\n    optimizer.step()\n    loss.backward()"
)


@scenario("step-before-backward", "none", "optimizer.step()")
def step_first_and_cleared(folder: Path) -> RecordBuilder:
    record = _turn(_optimizer(RecordBuilder(folder, BACKWARD_LAST)), "Z F S", 1, 1, forward_last=True)
    return _turn(record, "B Z F S", 2, 39, forward_last=True)


@scenario("step-before-backward", "previous", "optimizer.step()")
def step_first(folder: Path) -> RecordBuilder:
    record = _turn(_optimizer(RecordBuilder(folder, BACKWARD_LAST)), "F S", 1, 1, forward_last=True)
    return _turn(record, "Z B F S", 2, 39, forward_last=True)


@scenario("accumulation-zeroed", "each", "optimizer.zero_grad()")
def cleared_at_every_micro_batch(folder: Path) -> RecordBuilder:
    source = LOOP.replace("    out = model", "    optimizer.zero_grad()\n    out = model")
    return _turn(_optimizer(RecordBuilder(folder, source)), "Z F B Z F B S", 1, 20, cleared_between=1, from_forwards=True)


SCHEDULED = LOOP.replace("criterion = ", "plan = torch.optim.lr_scheduler.StepLR(optimizer, 5)\ncriterion = ", 1)


def _scheduled(folder: Path, calls: int, cls: str = "StepLR") -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, SCHEDULED), steps=100, rate_trace=[[1, 0.1], [20, 1e-3], [40, 1e-5]])
    return record.fact("scheduler", 0, {"cls": cls, "optimizer": "0", "steps": calls, "step_site": None}, at="StepLR")


@scenario("scheduler-kills-lr", "fell", "StepLR")
def noise_taken_for_a_plateau(folder: Path) -> RecordBuilder:
    return _scheduled(folder, 100, "ReduceLROnPlateau")


@scenario("scheduler-kills-lr", "fell", "StepLR")
def improvements_taken_for_bad_epochs(folder: Path) -> RecordBuilder:
    record = _scheduled(folder, 10, "ReduceLROnPlateau")
    falling = {"settings": {"mode_worse": -math.inf}, "metrics": [2.0, 1.1, 0.9, 0.89, 0.889, 0.889]}
    return record.fact(
        "scheduler", 0, {"cls": "ReduceLROnPlateau", "optimizer": "0", "steps": 10, "step_site": None} | falling, at="StepLR"
    )


@scenario(None)
def plateau_in_the_right_mode(folder: Path) -> RecordBuilder:
    record = _scheduled(folder, 10, "ReduceLROnPlateau")
    rising = {"settings": {"mode_worse": -math.inf}, "metrics": [0.3, 0.5, 0.6, 0.61, 0.62, 0.62]}
    return record.fact("scheduler", 0, {"cls": "ReduceLROnPlateau", "optimizer": "0", "steps": 10, "step_site": None} | rising, at="StepLR")


@scenario(None)
def plateau_by_epochs(folder: Path) -> RecordBuilder:
    return _scheduled(folder, 10, "ReduceLROnPlateau")


@scenario(None)
def scheduled_to_nothing_when_solved(folder: Path) -> RecordBuilder:
    return _scheduled(folder, 100).steps([2.0 / (1 + i) for i in range(100)])


@scenario("scheduler-kills-lr", "fell", "StepLR")
def scheduled_by_batch(folder: Path) -> RecordBuilder:
    return _scheduled(folder, 100)


@scenario("scheduler-kills-lr", "fell", "StepLR")
def scheduled_too_fast(folder: Path) -> RecordBuilder:
    return _scheduled(folder, 10)


FROZEN = LOOP.replace("optimizer = ", "for p in model.parameters():\n    p.requires_grad = False\noptimizer = ", 1)


def _frozen(folder: Path, head: bool, losses: list[float] | None = None) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, FROZEN)).steps(losses or around(1.2, 40, 0.01))
    record.fact("backward", "x", {"count": 40}, at="loss.backward")
    record.fact("module", 0, {"cls": "Net", "train_grad_calls": 40, "calls": 40, "class_sites": {}}, at="class Net")
    for key, name in enumerate(("body.weight", "head.weight")):
        data = {"name": name, "root": "0", "shape": [40, 40] if not key else [2, 2], "numel": 1600 if not key else 4, "is_parameter": True}
        record.fact("param", key, data | {"registered": True, "requires_grad": bool(key and head), "had_grad": bool(key and head)})
    return record


@scenario("frozen-by-mistake", "part", "requires_grad = False")
def body_frozen(folder: Path) -> RecordBuilder:
    return _frozen(folder, head=True)


@scenario("frozen-by-mistake", "all", "requires_grad = False")
def all_frozen(folder: Path) -> RecordBuilder:
    return _frozen(folder, head=False)


@scenario("frozen-by-mistake", "none", "requires_grad = False")
def all_frozen_and_backward_failed(folder: Path) -> RecordBuilder:
    error = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    return _frozen(folder, head=False).fact("backward", "x", {"count": 1, "error": error}, at="loss.backward")


@scenario(None)
def body_frozen_and_it_learns(folder: Path) -> RecordBuilder:
    return _frozen(folder, head=True, losses=[1.2 / (1 + i) for i in range(40)])


def _arms(**ends: tuple[float, float]) -> dict[str, Any]:
    """Arms of an experiment: first loss and last, by name with ``_`` for a space."""
    return {
        name.replace("_", " ").replace("e0", "e+0").replace("p", "."): {
            "turns": 100, "first": first, "second": first, "last": last, "finite": True, "fresh": 1.0,
        }
        for name, (first, last) in ends.items()
    }  # fmt: skip


def _probe(record: RecordBuilder, name: str, arms: dict[str, Any], **data: Any) -> RecordBuilder:
    return record.fact(
        "probe", name, {"name": name, "made": True, "seconds": 1.2, "at_step": 60, "rates": {"0": [0.1]}, "arms": arms} | data
    )


@scenario("lr-too-low", "ladder", "torch.optim.SGD")
def rate_too_small(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps(around(2.3, 100, 0.001))
    _probe(record, "one-batch", _arms(x1=(2.3, 2.2999), x10=(2.3, 2.2), x100=(2.3, 0.4)))
    return _probe(record, "rate-ladder", _arms(x1=(2.3, 2.3), x10=(2.3, 2.25), x100=(2.3, 0.9)))


@scenario("lr-too-low", "heart", "torch.optim.SGD")
def rate_too_small_for_a_task_that_takes_long(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps(around(2.3, 100, 0.001))
    record.fact("update", 0, {"samples": [[i, 6.6, 0.6, 0.0, 2e-6] for i in range(12)], "tensors": 3})
    _probe(record, "one-batch", _arms(x1=(2.3, 2.2999), x10=(2.3, 2.299), x100=(2.3, 2.28), x1000=(2.3, 0.4)))
    return _probe(record, "rate-ladder", _arms(x1=(2.3, 2.3), x10=(2.3, 2.3), x100=(2.3, 2.299)))


@scenario("lr-too-low", "still", "torch.optim.SGD")
def rate_of_nothing(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps(around(2.3, 100, 0.001))
    record.fact("update", 0, {"samples": [[i, 6.6, 0.6, 0.0, 2e-9] for i in range(12)], "tensors": 3})
    _probe(record, "one-batch", _arms(x1=(2.3, 2.3), x10=(2.3, 2.3), x100=(2.3, 2.2999)))
    return _probe(record, "rate-ladder", _arms(x1=(2.3, 2.3), x10=(2.3, 2.3), x100=(2.3, 2.3)))


@scenario(None)
def updates_of_a_fair_size_behind_a_wall(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps([2.3 - 0.004 * i for i in range(100)])
    record.fact("update", 0, {"samples": [[i, 6.6, 0.6, 0.0, 2e-2] for i in range(12)], "tensors": 3})
    _probe(record, "one-batch", _arms(x1=(2.3, 2.2999), x10=(2.3, 2.299), x100=(2.3, 2.28), x1000=(2.3, 0.4)))
    return _probe(record, "rate-ladder", _arms(x1=(2.3, 2.3), x10=(2.3, 2.3), x100=(2.3, 2.299)))


@scenario("lr-too-high", "stays", "torch.optim.SGD")
def rate_too_large(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps(around(2.3, 100, 0.001))
    return _probe(record, "one-batch", _arms(x1=(2.3, 2.25), x0p1=(2.3, 0.2)))


@scenario("lr-too-high", "jumps", "torch.optim.SGD")
def rate_too_large_from_the_start(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps(around(2.3, 100, 0.001))
    arms = _arms(x1=(2.3, 2.25), fresh_x1=(2.3, 2.28), fresh_x0p1=(2.3, 0.2))
    arms["fresh x1"]["second"] = 31.0
    return _probe(record, "one-batch", arms)


@scenario("lr-too-high", "climbs", "torch.optim.SGD")
def rate_too_large_for_the_next_steps(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), built_lr=[0.1]).steps(around(2.3, 100, 0.001))
    record.fact("loss_call", "x", {"function": "cross_entropy", "train_count": 9, "target_dtype": "int64"}, at="loss = criterion")
    _probe(record, "one-batch", _arms(x1=(7.1, 0.4), fresh_x1=(2.3, 0.3)))
    return _probe(record, "rate-ladder", _arms(x1=(7.1, 2.3), fresh_x1=(2.3, 5.2), fresh_x0p1=(2.3, 1.1)))


@scenario("missing-zero-grad", "never", "loss.backward()")
def never_cleared_and_tried(folder: Path) -> RecordBuilder:
    record = _optimizer(RecordBuilder(folder, LOOP), zero_grads=0, stale_steps=39, stale_nonzero=5)
    return _probe(record, "cleared", _arms(control=(2.3, 4.1), cleared=(2.3, 0.5)))


@scenario("missing-zero-grad", "never", "loss.backward()")
def never_cleared(folder: Path) -> RecordBuilder:
    return _optimizer(RecordBuilder(folder, LOOP), zero_grads=0, stale_steps=39, stale_nonzero=5)


@scenario("missing-zero-grad", "seldom", "loss.backward()")
def cleared_once_an_epoch(folder: Path) -> RecordBuilder:
    return _optimizer(RecordBuilder(folder, LOOP), zero_grads=2, stale_steps=37, stale_nonzero=5)


TWO_ON_A_LINE = LOOP.replace(
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    "one = torch.optim.SGD(model.fc.parameters(), lr=0.1); two = torch.optim.SGD(model.emb.parameters(), lr=0.1)",
).replace("    optimizer.step()", "    one.step(); two.step()")


def _two(folder: Path, source: str, steps: tuple[str, str], one: dict[str, Any], two: dict[str, Any]) -> RecordBuilder:
    """Two optimizers made on one line."""
    record = RecordBuilder(folder, source)
    for key, (step, data) in enumerate(zip(steps, (one, two), strict=True)):
        _optimizer(record, key, **{"step_site": record.site(step)} | data)
    return record


@scenario("missing-zero-grad", "never-of", "loss.backward()")
def one_of_two_never_cleared(folder: Path) -> RecordBuilder:
    source = TWO_ON_A_LINE.replace("    out = model", "    one.zero_grad()\n    out = model")
    return _two(folder, source, ("one.step(",) * 2, {}, {"zero_grads": 0, "stale_steps": 39, "stale_nonzero": 5})


@scenario("missing-zero-grad", "never-of", "loss.backward()")
def two_never_cleared(folder: Path) -> RecordBuilder:
    source = TWO_ON_A_LINE.replace("one.step(); two.step()", "one.step()\n    two.step()")
    stale = {"zero_grads": 0, "stale_steps": 39, "stale_nonzero": 5}
    return _two(folder, source, ("one.step(", "two.step("), stale, stale)


@scenario("missing-zero-grad", "seldom-of", "loss.backward()")
def one_of_two_seldom_cleared(folder: Path) -> RecordBuilder:
    stale = {"zero_grads": 2, "stale_steps": 37, "stale_nonzero": 5}
    return _two(folder, TWO_ON_A_LINE, ("one.step(",) * 2, stale, {})


@scenario("missing-zero-grad", "never", "loss.backward()")
def a_step_that_returns(folder: Path) -> RecordBuilder:
    source = LOOP.replace("    loss.backward()\n    optimizer.step()", "    go(loss)")
    source = source.replace("for x", "def go(loss):\n    loss.backward(); optimizer.step(); return loss\nfor x", 1)
    return _optimizer(RecordBuilder(folder, source), zero_grads=0, stale_steps=39, stale_nonzero=5)


@scenario("missing-zero-grad", "never", "loss.backward()")
def a_step_that_is_returned(folder: Path) -> RecordBuilder:
    source = LOOP.replace("    loss.backward()\n    optimizer.step()", "    go(loss)")
    source = source.replace("for x", "def go(loss):\n    if x:\n        loss.backward()\n    return optimizer.step()\nfor x", 1)
    return _optimizer(RecordBuilder(folder, source), zero_grads=0, stale_steps=39, stale_nonzero=5)


@scenario("missing-zero-grad", "never", "loss.backward()")
def a_scheduler_and_a_closure_on_the_line(folder: Path) -> RecordBuilder:
    source = LOOP.replace(
        "criterion = ", "plan = torch.optim.lr_scheduler.StepLR(optimizer, 5)\ndef closure():\n    return 1\ncriterion = "
    )
    record = RecordBuilder(folder, source.replace("    optimizer.step()", "    plan.step(); optimizer.step(closure)"))
    stale = {"zero_grads": 0, "stale_steps": 39, "stale_nonzero": 5}
    return _optimizer(record, step_site=record.site("optimizer.step"), **stale)


@scenario(None)
def accumulation(folder: Path) -> RecordBuilder:
    return _optimizer(RecordBuilder(folder, LOOP), backwards=160, stale_steps=0)


@scenario(None)
def cleared_by_hand(folder: Path) -> RecordBuilder:
    # p.grad.zero_() is no call that the observer sees, but the left-over gradient was read and was zero.
    return _optimizer(RecordBuilder(folder, LOOP), zero_grads=0, stale_steps=39, stale_nonzero=0)


@scenario("zero-grad-before-step", "cleared", "optimizer.zero_grad()")
def cleared_before_step(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, CLEAR_AFTER)
    return _optimizer(record, cleared_steps=40, empty_steps=40, cleared_site=record.site("optimizer.zero_grad"), grad_steps=0)


@scenario("zero-grad-before-step", "by-hand", "p.grad = None")
def cleared_by_hand_before_step(folder: Path) -> RecordBuilder:
    source = LOOP.replace("    optimizer.step()", "    for p in model.parameters():\n        p.grad = None\n    optimizer.step()")
    record = _optimizer(RecordBuilder(folder, source), zero_grads=0, empty_steps=40, grad_steps=0)
    return _param(record, 0, "fc.weight")


@scenario(None)
def gan_discriminator(folder: Path) -> RecordBuilder:
    # The generator's backward writes into the discriminator too, and that is cleared: its steps are not empty.
    record = RecordBuilder(folder, CLEAR_AFTER)
    return _optimizer(record, cleared_steps=39, cleared_site=record.site("optimizer.zero_grad"))


def _param(record: RecordBuilder, key: int, name: str | None, **data: Any) -> RecordBuilder:
    whole = {
        "name": name,
        "root": "0",
        "shape": [4, 4],
        "numel": 16,
        "requires_grad": True,
        "is_parameter": True,
        "optimizer": "0",
        "registered": True,
    }
    whole |= {"holder": None, "used": 5, "used_grad": 5, "used_nograd": 0, "reached": 5, "got_grad": 5}
    return record.fact("param", key, whole | data)


def _module(record: RecordBuilder, **data: Any) -> RecordBuilder:
    whole = {"cls": "Net", "qualname": "Net", "calls": 40, "train_calls": 40, "nograd_calls": 0, "train_grad_calls": 40, "loaded": False}
    return record.fact("module", 0, whole | {"call_site": record.site("out = model")} | data, at="class Net")


@scenario("optimizer-missing-params", "part", "torch.optim.SGD")
def part_left_out(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    return _param(_param(record, 0, "fc.weight"), 1, "emb.weight", optimizer=None)


@scenario("optimizer-missing-params", "part", "torch.optim.SGD", "advice")
def loaded_backbone_left_out(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)), loaded=True)
    return _param(_param(record, 0, "fc.weight"), 1, "emb.weight", optimizer=None)


@scenario("optimizer-missing-params", "whole", "torch.optim.SGD")
def module_left_out(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    return _param(_param(record, 0, "fc.weight", root="1"), 1, "emb.weight", optimizer=None)


@scenario(None)
def judge_inside_a_loss_module(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    return _param(_param(record, 0, "fc.weight", root="1"), 1, "emb.weight", optimizer=None, used_eval=5)


@scenario(None)
def perceptual_loss(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)), train_calls=0, train_grad_calls=0)
    return _param(_param(record, 0, "fc.weight", root="1"), 1, "emb.weight", optimizer=None)


@scenario(None)
def optimised_input(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    return _param(_param(record, 0, None, root=None, is_parameter=False, registered=False), 1, "emb.weight", optimizer=None)


@scenario("params-not-registered", "container", "self.layers = []")
def modules_in_a_list(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    holder = {"cls": "Net", "attr": "layers", "kind": "list", "file": str(record.script), "line": record.line("class Net")}
    return _param(_param(record, 0, "fc.weight"), 1, None, root=None, optimizer=None, registered=False, holder=holder)


@scenario("params-not-registered", "container", "self.layers = []")
def modules_in_a_dict(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    holder = {"cls": "Net", "attr": "layers", "kind": "dict", "file": str(record.script), "line": record.line("class Net")}
    return _param(record, 1, None, root=None, optimizer=None, registered=False, holder=holder)


@scenario("params-not-registered", "tensor", "self.layers = []")
def bare_tensor(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    holder = {"cls": "Net", "attr": "layers", "kind": "tensor", "file": str(record.script), "line": record.line("class Net")}
    return _param(record, 1, None, root=None, optimizer=None, registered=False, is_parameter=False, holder=holder)


@scenario(None)
def list_handed_to_the_optimizer(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    holder = {"cls": "Net", "attr": "layers", "kind": "list", "file": str(record.script), "line": record.line("class Net")}
    return _param(record, 1, None, root=None, registered=False, holder=holder)


HELPER = LOOP.replace("self.layers = []", "self.helper = Helper()").replace(
    "class Net",
    "class Helper:\n    def __init__(self):\n        self.up = nn.Linear(4, 4)\n"
    "    def go(self, x):\n        return self.up(x)\n\nclass Net",
)


@scenario("params-not-registered", "tensor", "self.helper = Helper()")
def modules_in_a_helper_object(folder: Path) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, HELPER)))
    return _param(record, 1, None, root=None, optimizer=None, registered=False, used_site=record.site("return self.up(x)"))


@scenario("params-not-registered", "tensor", "self.layers = torch.ones")
def bare_tensor_by_the_text(folder: Path) -> RecordBuilder:
    source = LOOP.replace("self.layers = []", "self.layers = torch.ones(4, requires_grad=True)").replace(
        "return h", "return h * self.layers"
    )
    record = _module(_optimizer(RecordBuilder(folder, source)))
    site = record.site("return h * self.layers")
    return _param(record, 1, None, root=None, optimizer=None, registered=False, is_parameter=False, used_site=site)


@scenario(None)
def input_that_requires_grad(folder: Path) -> RecordBuilder:
    # A new tensor in each step, used once.
    record = _module(_optimizer(RecordBuilder(folder, LOOP)))
    data = {"used": 1, "used_grad": 1, "reached": 1, "used_site": record.site("out = model")}
    return _param(record, 1, None, root=None, optimizer=None, registered=False, is_parameter=False, **data)


# ---- the graph


def _broken(folder: Path, op: str | None, source: str = LOOP, **backward: Any) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, source), grad_steps=0, empty_steps=40))
    _param(record, 0, "fc.weight", reached=0, got_grad=0)
    whole = {"deep": 5, "reached_none": 5, "reached_max": 0, "used_max": 2, "failed": 0, "error": None} | backward
    record.fact("backward", "b", whole, at="loss.backward", count=40)
    if op is not None:
        record.fact("graph_cut", op, {"op": op, "to_loss": 5, "last_before_loss": 5, "params": [0]}, at="out = model")
    return record


NO_GRAPH = {"deep": 0, "reached_none": 0, "failed": 1, "error": "element 0 of tensors does not require grad and does not have a grad_fn"}


@scenario("graph-broken", "cut", "out = model")
def detached(folder: Path) -> RecordBuilder:
    return _broken(folder, "detach", LOOP.replace("out = model(x)", "out = model(x).detach()"))


def _detached_as(folder: Path, out: str, *more: str) -> RecordBuilder:
    lines = "".join(f"    {line}\n" for line in (out, *more))
    return _broken(folder, "detach", "import numpy as np\n" + LOOP.replace("    out = model(x)\n", lines))


@scenario("graph-broken", "cut", "out = model")
def detached_for_numpy(folder: Path) -> RecordBuilder:
    return _detached_as(folder, "out = model(x).detach().cpu().numpy()")


@scenario("graph-broken", "cut", "out = model")
def detached_for_numpy_later(folder: Path) -> RecordBuilder:
    return _detached_as(folder, "out = model(x).detach()", "out = torch.tensor(out.cpu().numpy())")


@scenario("graph-broken", "cut", "np.asarray")
def detached_for_an_array(folder: Path) -> RecordBuilder:
    return _detached_as(folder, "out = model(x); out = np.asarray(torch.stack([out.detach()]))")


@scenario("graph-broken", "cut", "out = model")
def detached_and_shown(folder: Path) -> RecordBuilder:
    return _detached_as(folder, "out = model(x).detach()", "print(out.mean())")


@scenario("graph-broken", "cut-raised", "out = model")
def argmax_raises(folder: Path) -> RecordBuilder:
    return _broken(folder, "argmax", **NO_GRAPH)


@scenario("graph-broken", "cut", "out = model")
def item(folder: Path) -> RecordBuilder:
    return _broken(folder, "item")


@scenario("graph-broken", "no-path", "loss.backward")
def independent(folder: Path) -> RecordBuilder:
    return _broken(folder, None)


@scenario("graph-broken", "no-path-raised", "loss.backward")
def independent_raises(folder: Path) -> RecordBuilder:
    return _broken(folder, None, **NO_GRAPH)


@scenario("graph-broken", "new-leaf", "out = model")
def through_numpy(folder: Path) -> RecordBuilder:
    source = LOOP.replace("out = model(x)", "out = model(x).detach().numpy()").replace(
        "loss = criterion(out, y)", "loss = criterion(torch.tensor(out), y)"
    )
    record = _broken(folder, None, source, reached_none=0, reached_max=1)
    record.fact("graph_cut", "d", {"op": "detach", "to_loss": 0, "last_before_loss": 0, "params": [0]}, at="out = model")
    record.fact("graph_cut", "i", {"op": "item", "to_loss": 0, "last_before_loss": 0, "params": [0]}, at="optimizer.step")
    data = {"shape": [32, 4], "used": 1, "used_grad": 1, "reached": 1, "used_site": record.site("loss = criterion")}
    return _param(record, 7, None, root=None, optimizer=None, registered=False, is_parameter=False, **data)


@scenario("graph-broken", "new-leaf", "loss = criterion")
def new_leaf_from_nowhere(folder: Path) -> RecordBuilder:
    record = _broken(folder, None, reached_none=0, reached_max=1)
    data = {"shape": [32, 4], "used": 1, "used_grad": 1, "reached": 1, "used_site": record.site("loss = criterion")}
    return _param(record, 7, None, root=None, optimizer=None, registered=False, is_parameter=False, **data)


@scenario(None)
def metric_beside_the_loss(folder: Path) -> RecordBuilder:
    record = _broken(folder, "argmax", reached_none=0, reached_max=2)
    return _param(record, 0, "fc.weight")


NO_GRAD = LOOP.replace("    out = model(x)", "    with torch.no_grad():\n        out = model(x)")


def _no_grad(folder: Path, *, others: bool, source: str = NO_GRAD, training: bool = True, **data: Any) -> RecordBuilder:
    record = _module(_optimizer(RecordBuilder(folder, source)))
    none = {"used_grad": 0, "used_nograd": 5, "reached": 0, "got_grad": 0} | data
    _param(record, 0, "fc.weight", **none)
    if others:
        _param(record, 1, "head.weight", root="1")
    record.fact("backward", "b", {"deep": 5, "reached_none": 0, "reached_max": 1}, at="loss.backward", count=40)
    use = {"params": [0], "n_params": 1, "to_loss": 5, "segments": 5, "training_mode": training, "inference_mode": False}
    return record.fact("no_grad_use", "u", use, at="F.softmax(self.fc")


@scenario("no-grad-forward", "part", "with torch.no_grad")
def encoder_without_gradients(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=True)


@scenario("no-grad-forward", "all", "with torch.no_grad")
def all_without_gradients(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=False)


@scenario("no-grad-forward", "part", "with torch.no_grad", "advice")
def fixed_features(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=True, training=False)


@scenario("no-grad-forward", "all", "@torch.no_grad")
def decorated_forward(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=False, source=LOOP.replace("    def forward", "    @torch.no_grad()\n    def forward"))


@scenario("no-grad-forward", "all", "torch.set_grad_enabled(False)")
def switched_off_for_good(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=False, source=LOOP.replace("model = Net()", "torch.set_grad_enabled(False)\nmodel = Net()"))


@scenario("no-grad-forward", "left-off", "torch.set_grad_enabled(False)")
def left_off_by_validation(folder: Path) -> RecordBuilder:
    source = "import torch\ndef validate():\n    torch.set_grad_enabled(False)\n" + LOOP
    record = _param(_module(_optimizer(RecordBuilder(folder, source))), 0, "fc.weight")
    return record.fact("backward", "b", NO_GRAPH | {"deep": 3, "reached_max": 2}, at="loss.backward", count=21)


@scenario("no-grad-forward", "off", "torch.set_grad_enabled(False)")
def off_from_the_start(folder: Path) -> RecordBuilder:
    source = "import torch\ntorch.set_grad_enabled(False)\n" + LOOP
    record = _param(_module(_optimizer(RecordBuilder(folder, source))), 0, "fc.weight")
    return record.fact("backward", "b", NO_GRAPH | {"deep": 0}, at="loss.backward", count=1)


@scenario(None)
def policy_rollout(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=True, used_grad=5, reached=5, got_grad=5)


@scenario(None)
def target_network(folder: Path) -> RecordBuilder:
    return _no_grad(folder, others=True, optimizer=None)


# ---- the loss


def _cross_entropy(record: RecordBuilder, **data: Any) -> RecordBuilder:
    whole = {"function": "cross_entropy", "train_count": 40, "n_classes": 4, "reduction": "mean", "label_smoothing": 0.0, "weighted": False}
    whole |= {"checked": 5, "rows": 160, "rows_sum_one": 0, "row_sum_min": -3.0, "row_sum_max": 3.0, "softmax": 0, "softmax_kind": None}
    whole |= {"input_shape": [32, 4], "target_shape": [32], "ignore_index": -100, "label_counts": {}}
    return record.fact("loss_call", "c", whole | data, at="loss = criterion", count=40)


@scenario("double-softmax", "graph", "F.softmax(self.fc")
def softmax_in_the_graph(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP)
    return _cross_entropy(record, rows_sum_one=160, softmax=5, softmax_kind="softmax", softmax_site=record.site("h = F.softmax"))


@scenario("double-softmax", "graph", "h = F.softmax")
def softmax_in_the_graph_and_tried_without(folder: Path) -> RecordBuilder:
    record = softmax_in_the_graph(folder)
    return _probe(record, "without-softmax", _arms(control=(1.39, 1.38), without=(1.41, 0.4)))


@scenario("double-softmax", "graph", "nn.Softmax(dim=1)")
def softmax_in_a_sequential(folder: Path) -> RecordBuilder:
    source = LOOP.replace("model = Net()", "model = nn.Sequential(nn.Linear(4, 4), nn.Softmax(dim=1))")
    record = RecordBuilder(folder, source)
    return _cross_entropy(record, rows_sum_one=160, softmax=5, softmax_kind="softmax", softmax_site=record.site("out = model"))


@scenario("double-softmax", "graph", "nn.Softmax(dim=1)")
def softmax_of_a_model_that_is_handed_over(folder: Path) -> RecordBuilder:
    source = "import torch.nn as nn\nnet = nn.Sequential(nn.Linear(4, 4), nn.Softmax(dim=1))\n"
    source += "def go(model):\n    out = model(x)\n    loss = criterion(out, y)\n"
    record = RecordBuilder(folder, source)
    return _cross_entropy(record, rows_sum_one=160, softmax=5, softmax_kind="softmax", softmax_site=record.site("out = model"))


@scenario("double-softmax", "values", "F.softmax(self.fc")
def softmax_by_values(folder: Path) -> RecordBuilder:
    return _cross_entropy(RecordBuilder(folder, LOOP), rows_sum_one=160, label_smoothing=0.1)


@scenario(None)
def log_softmax_twice(folder: Path) -> RecordBuilder:
    return _cross_entropy(RecordBuilder(folder, LOOP), softmax=5, softmax_kind="log_softmax")


@scenario(None)
def softmax_over_the_batch(folder: Path) -> RecordBuilder:
    return _cross_entropy(RecordBuilder(folder, LOOP), softmax=5, softmax_kind="softmax", rows_sum_one=3)


@scenario(None)
def softmax_in_evaluation(folder: Path) -> RecordBuilder:
    return _cross_entropy(RecordBuilder(folder, LOOP), train_count=0, rows_sum_one=160, softmax=5, softmax_kind="softmax")


def _mse(folder: Path, one: list[int], two: list[int], result: list[int], **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP).fact("backward", "b", {"deep": 0}, at="loss.backward")
    whole = {"function": "mse_loss", "train_count": 40, "broadcast": 40, "broadcast_example": [one, two, result]} | data
    return record.fact("loss_call", "m", whole, at="loss = criterion", count=40)


@scenario("broadcast-loss", "loss", "loss = criterion")
def column_against_row(folder: Path) -> RecordBuilder:
    return _mse(folder, [20, 1], [20], [20, 20])


@scenario("broadcast-loss", "evaluation", "loss = criterion", "warning")
def column_against_row_in_evaluation(folder: Path) -> RecordBuilder:
    return _mse(folder, [20, 1], [20], [20, 20], train_count=0)


@scenario(None)
def scalar_target(folder: Path) -> RecordBuilder:
    return _mse(folder, [20, 1], [1], [20, 1])


@scenario(None)
def all_pairs_of_two_sets(folder: Path) -> RecordBuilder:
    return _mse(folder, [20, 1, 3], [30, 3], [20, 30, 3])


@scenario("broadcast-loss", "operator", "loss = criterion")
def subtraction_before_the_loss(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP).fact("backward", "b", {"deep": 0}, at="loss.backward")
    data = {"op": "sub", "shapes": [[20, 1], [20], [20, 20]], "to_loss": 5}
    return record.fact("implicit_broadcast", "s", data, at="loss = criterion", count=40)


@scenario(None)
def all_pairs_by_an_explicit_axis(folder: Path) -> RecordBuilder:
    source = LOOP.replace("loss = criterion(out, y)", "loss = (out.unsqueeze(1) - y).abs().mean()")
    record = RecordBuilder(folder, source).fact("backward", "b", {"deep": 0}, at="loss.backward")
    data = {"op": "sub", "shapes": [[20, 1], [20], [20, 20]], "to_loss": 5}
    return record.fact("implicit_broadcast", "s", data, at="out.unsqueeze(1)", count=40)


# ---- indices


def _index(folder: Path, function: str, at: str, source: str = LOOP, **data: Any) -> RecordBuilder:
    whole = {
        "function": function,
        "bad": 3,
        "total": 256,
        "rows": [4, 9],
        "n_rows": 2,
        "batch": 32,
        "ignore_index": None,
        "raised": True,
        "module": None,
    }
    return RecordBuilder(folder, source).fact("index_error", "i", whole | data, at=at)


EMBEDDED = LOOP.replace("h = F.softmax(self.fc(x), dim=1)", "h = self.emb(x).mean(1)")
POSITIONS = EMBEDDED.replace("self.emb(x)", "self.emb(torch.arange(x.shape[1]))")


@scenario("embedding-too-small", "counted", "self.emb(x)")
def one_row_short(folder: Path) -> RecordBuilder:
    return _index(folder, "embedding", "h = self.emb", EMBEDDED, size=10, min=1, max=10, values=[10], labels=[1, 2, 10], module="emb")


@scenario("embedding-too-small", "bounds", "self.emb(x)")
def far_outside_on_a_device(folder: Path) -> RecordBuilder:
    return _index(folder, "embedding", "h = self.emb", EMBEDDED, size=10, min=0, max=99, bad=None)


@scenario("embedding-too-small", "error-only", "self.emb(x)")
def error_text_only(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, EMBEDDED)
    return record.fact("exception", "last", {"type": "IndexError", "message": "index out of range in self"}, at="h = self.emb")


@scenario("embedding-negative-index", "counted", "self.emb(x)")
def negative_token(folder: Path) -> RecordBuilder:
    return _index(folder, "embedding", "h = self.emb", EMBEDDED, size=10, min=-1, max=9, values=[-1], labels=[-1, 0])


@scenario("embedding-negative-index", "bounds", "self.emb(x)")
def negative_token_on_a_device(folder: Path) -> RecordBuilder:
    return _index(folder, "embedding", "h = self.emb", EMBEDDED, size=10, min=-1, max=9, bad=None)


SINES = EMBEDDED.replace("self.emb(x).mean(1)", "x + self.emb[:, : x.shape[1]]")


@scenario("position-overflow", "short", "self.emb[:")
def table_of_sines_ends(folder: Path) -> RecordBuilder:
    text = "The size of tensor a (70) must match the size of tensor b (50) at non-singleton dimension 1"
    tensors = {"x": {"shape": [8, 70, 4]}, "self.emb": {"shape": [1, 50, 4]}}
    data = {"type": "RuntimeError", "message": text, "tensors": tensors}
    return RecordBuilder(folder, SINES).fact("exception", "last", data, at="h = x + self.emb")


@scenario("embedding-too-small", "bounds", "self.emb(x)")
def device_side_assert_told_elsewhere(folder: Path) -> RecordBuilder:
    record = _index(folder, "embedding", "h = self.emb", EMBEDDED, size=10, min=0, max=12, bad=None, raised=False, device="cuda:0")
    text = "CUDA error: device-side assert triggered"
    return record.fact("exception", "last", {"type": "AcceleratorError", "message": text}, at="loss.backward")


@scenario("label-out-of-range", "bounds", "loss = criterion")
def cudnn_internal_error_told_elsewhere(folder: Path) -> RecordBuilder:
    record = _index(folder, "cross_entropy", "loss = criterion", size=4, min=0, max=4, bad=None, raised=False, device="cuda:0")
    text = "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR"
    return record.fact("exception", "last", {"type": "RuntimeError", "message": text}, at="out = model")


@scenario("embedding-too-small", "counted", "self.emb(x)")
def item_of_the_data_set_is_told(folder: Path) -> RecordBuilder:
    return _index(folder, "embedding", "h = self.emb", EMBEDDED, size=10, min=1, max=12, values=[12], labels=[1, 12], items=[731])


@scenario("label-out-of-range", "blanks", "loss = criterion")
def labels_that_are_the_blank(folder: Path) -> RecordBuilder:
    return _index(folder, "ctc_loss", "loss = criterion", size=6, min=0, max=4, values=[0], labels=[0, 1], blank=0, raised=False)


@scenario("index-out-of-range", "negatives", "out = model")
def counted_negative(folder: Path) -> RecordBuilder:
    return _index(folder, "bincount", "out = model", size=2**62, min=-1, max=3, values=[-1], labels=[-1, 0])


@scenario("position-overflow", "longer", "self.emb(torch.arange")
def long_sequence(folder: Path) -> RecordBuilder:
    return _index(folder, "embedding", "h = self.emb", POSITIONS, size=10, min=0, max=12, values=[10, 11, 12], labels=[0, 1])


def _label(folder: Path, **data: Any) -> RecordBuilder:
    return _index(folder, "cross_entropy", "loss = criterion", **({"size": 4, "ignore_index": -100} | data))


@scenario("label-out-of-range", "counted", "loss = criterion")
def padded_with_minus_one(folder: Path) -> RecordBuilder:
    return _label(folder, min=-1, max=3, values=[-1], labels=[-1, 0, 1, 2, 3])


@scenario("label-out-of-range", "counted", "loss = criterion")
def several_negative(folder: Path) -> RecordBuilder:
    return _label(folder, min=-5, max=3, values=[-5, -4], labels=[-5, 0])


@scenario("label-out-of-range", "counted", "loss = criterion")
def one_based(folder: Path) -> RecordBuilder:
    return _label(folder, min=1, max=4, values=[4], labels=[1, 2, 3, 4])


@scenario("label-out-of-range", "counted", "loss = criterion")
def extra_class(folder: Path) -> RecordBuilder:
    return _label(folder, min=0, max=4, values=[4], labels=[0, 1, 2, 3, 4])


@scenario("label-out-of-range", "counted", "loss = criterion")
def void_label(folder: Path) -> RecordBuilder:
    return _label(folder, min=0, max=255, values=[255], labels=[0, 1, 255])


@scenario("label-out-of-range", "bounds", "loss = criterion")
def many_classes_on_a_device(folder: Path) -> RecordBuilder:
    return _label(folder, min=0, max=9, bad=None)


@scenario("label-out-of-range", "error-only", "loss = criterion")
def target_error_text(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP)
    return record.fact("exception", "last", {"type": "IndexError", "message": "Target 7 is out of bounds."}, at="loss = criterion")


@scenario("index-out-of-range", "counted", "out = model")
def gathered_outside(folder: Path) -> RecordBuilder:
    return _index(folder, "gather", "out = model", size=10, min=0, max=10, values=[10], dim=1)


@scenario("index-out-of-range", "bounds", "out = model")
def gathered_negative(folder: Path) -> RecordBuilder:
    return _index(folder, "gather", "out = model", size=10, min=-1, max=3, bad=None, dim=1)


@scenario("index-out-of-range", "error-only", "out = model")
def dimension_error_text(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP)
    message = "index 3 is out of bounds for dimension 1 with size 3"
    return record.fact("exception", "last", {"type": "RuntimeError", "message": message}, at="out = model")


# ---- speed

ELEMENTS = """
import torch
for x, y in loader:
    total = 0.0
    for i in range(len(x)):
        total = total + (x[i] * y[i]).sum()
    total.backward()
    optimizer.step()
"""
RECURRENT = """
import torch
for x, y in loader:
    h = torch.zeros(8)
    for t in range(len(x)):
        h = torch.tanh(x[t] + h @ w)
    h.sum().backward()
    optimizer.step()
"""


def _elements(folder: Path, source: str, at: str, **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, source).steps([1.0] * 30, duration_ms=100.0)
    record.fact("backward", "b", {"deep": 5}, at=".backward()", count=30)
    record.fact("segment", "all", {"segments": 5, "ops": 1000.0, "op_ms": 20.0, "nodes": 900.0})
    whole = {"segments": 5, "ops": 900.0, "op_ms": 18.0, "nodes": 850.0, "median_numel": 1, "max_numel": 32} | data
    return record.fact("line_ops", "l", whole, at=at)


@scenario("python-loop-over-elements", "loop", "total = total +", "warning")
def a_sum_by_hand(folder: Path) -> RecordBuilder:
    return _elements(folder, ELEMENTS, "total = total +")


CALLED = """
import torch
def pair(a, b):
    return (a * b).sum()
for x, y in loader:
    total = torch.stack([pair(x[i], y[i]) for i in range(len(x))]).sum()
    total.backward()
    optimizer.step()
"""
AVERAGED = """
import torch
for x, y in loader:
    model(x).sum().backward()
    optimizer.step()
    for p, q in zip(model.parameters(), average.parameters()):
        q.mul_(0.9).add_(p, alpha=0.1)
"""


@scenario("python-loop-over-elements", "loop", "return (a * b)", "warning")
def a_function_called_for_each_pair(folder: Path) -> RecordBuilder:
    record = _elements(folder, CALLED, "return (a * b)", ops=600.0, nodes=600.0, op_ms=12.0)
    data = {"segments": 5, "ops": 300.0, "op_ms": 6.0, "nodes": 250.0, "median_numel": 32, "max_numel": 32}
    return record.fact("line_ops", "m", data, at="total = torch.stack")


@scenario(None)
def a_function_called_once(folder: Path) -> RecordBuilder:
    # The same function is called for each batch of an evaluation, which does not run in the training steps.
    source = CALLED.replace("torch.stack([pair(x[i], y[i]) for i in range(len(x))]).sum()", "pair(x, y)")
    return _elements(folder, source + "def evaluate():\n    for x, y in parts:\n        pair(x, y)\n", "return (a * b)")


@scenario(None)
def an_average_of_weights(folder: Path) -> RecordBuilder:
    return _elements(folder, AVERAGED, "q.mul_")


@scenario(None)
def a_recurrence(folder: Path) -> RecordBuilder:
    return _elements(folder, RECURRENT, "h = torch.tanh")


@scenario(None)
def large_operators(folder: Path) -> RecordBuilder:
    return _elements(folder, ELEMENTS, "total = total +", median_numel=65536)


@scenario(None)
def a_few_operators(folder: Path) -> RecordBuilder:
    return _elements(folder, ELEMENTS, "total = total +", ops=90.0, nodes=80.0, op_ms=1.5)


DATASET = """
import json
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Items(Dataset):
    def __getitem__(self, i):
        row = self.frame.iloc[i]
        data = np.fromfile(self.path)
        value = self.store.get(i)
        return torch.fft.fft(row)

loader = DataLoader(Items(), batch_size=32)
for x, y in loader:
    loss.backward()
    optimizer.step()
"""


def _loader(
    folder: Path,
    at: str,
    callees: dict[str, float],
    source: str = DATASET,
    *,
    own: float = 0.0,
    cpu: float = 0.9,
    wait: float = 80.0,
    duration: float | list[float] = 100.0,
    **data: Any,
) -> RecordBuilder:
    record = RecordBuilder(folder, source).steps(around(1.0, 60, 0.1), duration_ms=duration, wait_ms=wait)
    record.fact("backward", "b", {"deep": 0}, at="loss.backward", count=50)
    whole = {
        "dataset_cls": "Items",
        "dataset_module": "__main__",
        "dataset_site": record.site("def __getitem__"),
        "num_workers": 0,
        "batch_size": 32,
    }
    whole |= {"built_site": record.site("loader = DataLoader"), "iterators": 1, "batches": 50, "wait_ms": 50 * wait, "first_wait_ms": wait}
    whole |= {"fetch_ms": 50 * wait, "fetch_cpu_ms": 50 * wait * cpu, "fetched": 50, "samples": 1600}
    record.fact("loader", 0, whole | data, at="for x, y in loader", count=50)
    record.fact("loader_total", 0, {"weight_ms": 3000.0, "hits": 1500})
    spent = {
        "loader": "0",
        "weight_ms": 2700.0,
        "own_ms": 2700.0 * own,
        "hits": 1350,
        "function": "__getitem__",
        "in_getitem": True,
        "callees": callees,
    }
    return record.fact("loader_line", "0/x", spent | {"getitem_line": record.line(at)}, at=at)


@scenario("slow-getitem-dataframe-row", "slow", "self.frame.iloc", "warning")
def frame_rows(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"pandas.core.indexing:__getitem__": 2500.0})


@scenario("slow-getitem-tokenise", "slow", "row = self.frame", "warning")
def regular_expressions(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"re:sub": 2500.0})


@scenario("slow-getitem-reload-file", "slow", "row = self.frame", "warning")
def json_files(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"json:load": 2500.0})


@scenario("slow-getitem-reload-file", "slow", "np.fromfile", "warning")
def files_read_in_c(folder: Path) -> RecordBuilder:
    return _loader(folder, "np.fromfile", {}, own=1.0)


@scenario("slow-getitem-decode", "slow", "row = self.frame", "warning")
def images(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"PIL.Image:resize": 2500.0})


@scenario("slow-getitem", "slow", "value = self.store", "warning")
def plain_python(folder: Path) -> RecordBuilder:
    return _loader(folder, "value = self.store", {}, own=1.0)


TEXTS = DATASET.replace("value = self.store.get(i)", "value = [self.ids.get(w, 0) for w in self.texts[i].lower().split()]")
LINES = DATASET.replace("value = self.store.get(i)", "value = [float(v) for line in open(self.path) for v in line.split(',')]")


@scenario("slow-getitem-tokenise", "slow", "value = [self.ids", "warning")
def words_by_hand(folder: Path) -> RecordBuilder:
    return _loader(folder, "value = [self.ids", {}, TEXTS, own=1.0)


@scenario("slow-getitem-reload-file", "slow", "value = [float(v)", "warning")
def files_parsed_by_hand(folder: Path) -> RecordBuilder:
    return _loader(folder, "value = [float(v)", {}, LINES, own=1.0)


@scenario("slow-getitem-dataframe-row", "slow", "self.frame.iloc", "warning")
def frame_rows_on_a_busy_machine(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"pandas.core.indexing:__getitem__": 2500.0}, cpu=0.2)


@scenario("no-workers-heavy-items", "works", "loader = DataLoader", "warning")
def library_work(folder: Path) -> RecordBuilder:
    return _loader(folder, "torch.fft", {}, own=1.0)


@scenario("no-workers-heavy-items", "waits", "loader = DataLoader", "warning")
def a_slow_store(folder: Path) -> RecordBuilder:
    return _loader(folder, "value = self.store", {}, own=1.0, cpu=0.02)


@scenario("slow-getitem-dataframe-row", "slow", "self.frame.iloc", "warning")
def frame_rows_while_others_take_the_cores(folder: Path) -> RecordBuilder:
    # A third of the typical step is waiting, but the quicker steps wait 30 of 35 ms.
    return _loader(folder, "row = self.frame", {"pandas.core.indexing:__getitem__": 2500.0}, wait=30.0, duration=[35.0, 90.0, 95.0] * 20)


@scenario(None)
def a_little_waiting(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"pandas.core.indexing:__getitem__": 2500.0}, wait=20.0)


@scenario(None)
def torch_dataset(folder: Path) -> RecordBuilder:
    return _loader(folder, "row = self.frame", {"pandas.core.indexing:__getitem__": 2500.0}, dataset_site=None)


# ---- the data


def _data(folder: Path, losses: list[float], source: str = LOOP, target: dict[str, Any] | None = None, **given: Any) -> RecordBuilder:
    """A classifier of four classes: what it was given, its loss and its targets."""
    record = _plateau_of(RecordBuilder(folder, source), losses)
    record.fact("module", 0, {"cls": "Net", "n_trainable": 2}, at="class Net")
    whole = {
        "root": "0", "name": "0", "phase": "train", "loader": None, "dtype": "float32", "shape": [32, 4], "calls": 40, "rows": 1280,
        "checked": 40, "compared": 40, "equal_rows": 0, "mean": 0.0, "std": 1.0, "min": -3.0, "max": 3.0, "n_features": 4,
        "features": [[0.0, 1.0, -3.0, 3.0]] * 4, "recent": [[i, 0.0, 1.0, 1.0] for i in range(40)],
    }  # fmt: skip
    record.fact("input", "i", whole | given, at="out = model(x)", count=40)
    whole = {
        "function": "cross_entropy", "phase": "train", "loss_call": "c", "calls": 40, "weighted": False,
        "values": [[i, v] for i, v in enumerate(losses) if math.isfinite(v)], "labels": {str(i): 320 for i in range(4)},
        "spread": [[i, 0.001, 1.0] for i in range(40)], "recent": [], "turns": 39, "turn_entropy": 1.33, "turn_rows": 32.0,
    }  # fmt: skip
    return record.fact("target", "t", whole | (target or {}), at="loss = criterion", count=40)


def _plateau_of(record: RecordBuilder, losses: list[float]) -> RecordBuilder:
    record.steps(losses).fact("backward", "b", {"deep": 0}, at="loss.backward", count=40)
    return _cross_entropy(record)


def _large(mean: float, std: float) -> dict[str, Any]:
    return {
        "mean": mean, "std": std, "min": mean - 2 * std, "max": mean + 2 * std,
        "features": [[mean, std, mean - 2 * std, mean + 2 * std]] * 4,
        "recent": [[i, mean, std, std] for i in range(40)],
    }  # fmt: skip


@scenario("input-scale-large", "range", "out = model(x)")
def pixels(folder: Path) -> RecordBuilder:
    record = _data(folder, around(math.log(4), 120, 0.02), **_large(128.0, 60.0))
    return _probe(record, "rescaled", _arms(control=(2.3, 1.4), rescaled=(1.5, 0.1)))


@scenario("input-scale-large", "range", "out = model(x)")
def pixels_until_nan(folder: Path) -> RecordBuilder:
    return _data(folder, [*(3.0 * 2**i for i in range(20)), *[math.nan] * 30], **_large(128.0, 60.0))


@scenario("input-scale-large", "mixed", "out = model(x)")
def one_column_of_amounts(folder: Path) -> RecordBuilder:
    features = [[0.0, 1.0, -3.0, 3.0]] * 19 + [[900.0, 400.0, 0.0, 2000.0]]
    more = {"features": features, "n_features": 20, "mean": 45.0, "std": 215.0, "max": 2000.0}
    return _data(folder, around(math.log(4), 120, 0.02), **more, recent=[[i, 45.0, 215.0, 90.0] for i in range(40)])


@scenario("loss-plateau", "uniform", "loss = criterion", "warning")
def large_inputs_that_are_not_the_matter(folder: Path) -> RecordBuilder:
    record = _data(folder, around(math.log(4), 120, 0.02), **_large(128.0, 60.0))
    return _probe(record, "rescaled", _arms(control=(2.3, 1.4), rescaled=(1.5, 1.4)))


@scenario(None)
def large_inputs_that_train(folder: Path) -> RecordBuilder:
    return _data(folder, [1.4 / (1 + 0.1 * i) for i in range(120)], **_large(128.0, 60.0))


@scenario("input-scale-small", "constant", "out = model(x)")
def inputs_never_filled(folder: Path) -> RecordBuilder:
    return _data(folder, around(math.log(4), 120, 0.02), **_large(0.0, 0.0), equal_rows=40)


@scenario("input-scale-small", "small", "out = model(x)")
def inputs_scaled_twice(folder: Path) -> RecordBuilder:
    record = _data(folder, around(math.log(4), 120, 0.02), **_large(0.002, 0.001))
    return _probe(record, "rescaled", _arms(control=(1.4, 1.39), rescaled=(1.5, 0.1)))


@scenario("input-scale-small", "offset", "out = model(x)")
def inputs_with_an_offset(folder: Path) -> RecordBuilder:
    record = _data(folder, around(math.log(4), 120, 0.02), **_large(9.0, 0.01))
    return _probe(record, "rescaled", _arms(control=(1.4, 1.39), rescaled=(1.5, 0.1)))


@scenario("input-scale-small", "small", "out = model(x)")
def tiny_inputs_untried(folder: Path) -> RecordBuilder:
    return _data(folder, around(math.log(4), 120, 0.02), **_large(0.0, 1e-4))


APART = """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

inputs, labels = torch.load("data.pt")
order = torch.randperm(1000)
inputs = inputs[order]
loader = DataLoader(TensorDataset(inputs, labels), batch_size=32)
""" + LOOP[LOOP.index("class Net") :].replace("F.softmax(self.fc(x), dim=1)", "self.fc(x)")


def _signal(record: RecordBuilder, z: float, score: float = 0.01) -> RecordBuilder:
    more = {"samples": 900, "kind": "classes", "score": score, "chance": 0.005, "chance_sd": 0.006, "z": z}
    return _probe(record, "label-signal", {}, **more)


@scenario("labels-misaligned", "inputs", "inputs = inputs[order]")
def inputs_shuffled_alone(folder: Path) -> RecordBuilder:
    return _signal(_data(folder, around(math.log(4), 120, 0.02), APART), 0.4)


@scenario("labels-misaligned", "inputs", "inputs = inputs[order]")
def inputs_shuffled_alone_and_learned_by_heart(folder: Path) -> RecordBuilder:
    return _signal(_data(folder, [1.4 / (1 + 0.02 * i) for i in range(120)], APART), 0.4)


@scenario("labels-misaligned", "labels", "labels = labels[order]")
def labels_shuffled_alone(folder: Path) -> RecordBuilder:
    return _data(folder, around(math.log(4), 120, 0.02), APART.replace("inputs = inputs[order]", "labels = labels[order]"))


@scenario("labels-misaligned", "both", "inputs = inputs[order]")
def each_shuffled(folder: Path) -> RecordBuilder:
    source = APART.replace("inputs = inputs[order]", "inputs = inputs[order]\nlabels = labels[torch.randperm(1000)]")
    return _data(folder, around(math.log(4), 120, 0.02), source)


@scenario(None)
def shuffled_alone_though_there_is_a_signal(folder: Path) -> RecordBuilder:
    return _signal(_data(folder, [1.4 / (1 + 0.02 * i) for i in range(120)], APART), 40.0, 0.6)


@scenario("labels-misaligned", "no-signal", "loss = criterion", "warning")
def no_signal_and_no_line(folder: Path) -> RecordBuilder:
    record = _signal(_data(folder, around(math.log(4), 120, 0.02), LOOP.replace("F.softmax(self.fc(x), dim=1)", "self.fc(x)")), 0.4)
    return _probe(record, "one-batch", _arms(x1=(1.4, 0.1)))


def _recent(labels: dict[str, int], chosen: dict[str, int], right: dict[str, int]) -> list[list[Any]]:
    return [[100 + i, sum(labels.values()), labels, chosen, right] for i in range(20)]


def _rare(folder: Path, level: float, answers: list[list[Any]], **target: Any) -> RecordBuilder:
    known = {"labels": {"0": 1900, "1": 100}, "recent": answers, "spread": [[i, 0.5, 1.0] for i in range(40)]}
    return _data(folder, [level + 0.3 / (1 + i) for i in range(200)], target=known | target)


@scenario(None)
def a_rate_that_is_used_as_a_rate(folder: Path) -> RecordBuilder:
    margins = [[i, 90, 10, 0.8, 1.0] for i in range(200)]
    return _rare(folder, 0.198, _recent({"0": 19, "1": 1}, {"0": 20}, {"0": 19}), margins=margins)


@scenario(None)
def not_yet_down_to_the_prior(folder: Path) -> RecordBuilder:
    return _rare(folder, 0.26, _recent({"0": 19, "1": 1}, {"0": 20}, {"0": 19}))


@scenario("class-imbalance", "majority", "loss = criterion", "warning")
def always_the_majority(folder: Path) -> RecordBuilder:
    return _rare(folder, 0.198, _recent({"0": 19, "1": 1}, {"0": 20}, {"0": 19}))


@scenario("class-imbalance", "majority", "loss = criterion", "warning")
def always_the_majority_of_three(folder: Path) -> RecordBuilder:
    labels = {"0": 1900, "1": 60, "2": 40}
    return _rare(folder, 0.23, _recent({"0": 19, "1": 1}, {"0": 20}, {"0": 19}), labels=labels)


@scenario(None)
def rare_ones_are_found(folder: Path) -> RecordBuilder:
    return _rare(folder, 0.16, _recent({"0": 19, "1": 1}, {"0": 19, "1": 1}, {"0": 19, "1": 1}))


@scenario(None)
def a_rate_below_one_half(folder: Path) -> RecordBuilder:
    return _rare(folder, 0.172, _recent({"0": 19, "1": 1}, {"0": 20}, {"0": 19}))


@scenario(None)
def weighted_already(folder: Path) -> RecordBuilder:
    return _rare(folder, 0.198, _recent({"0": 19, "1": 1}, {"0": 20}, {"0": 19}), weighted=True)


@scenario("unshuffled-data", "loader", "loader = DataLoader", "warning")
def sorted_by_class(folder: Path) -> RecordBuilder:
    source = LOOP.replace("for x, y", "loader = DataLoader(data, batch_size=32)\nfor x, y").replace(
        "import torch\n", "import torch\nfrom torch.utils.data import DataLoader\n", 1
    )
    record = _data(folder, [1.4 / (1 + 0.02 * i) for i in range(120)], source, {"turn_entropy": 0.05}, loader="0")
    return record.fact("loader", 0, {"shuffles": False, "built_site": record.site("loader = DataLoader")}, at="for x, y")


@scenario("unshuffled-data", "loop", "x = inputs[", "warning")
def sorted_and_sliced(folder: Path) -> RecordBuilder:
    source = LOOP.replace("for x, y in loader:\n", "for i in range(40):\n    x = inputs[i * 32 : i * 32 + 32]\n    y = labels[i]\n")
    return _data(folder, [1.4 / (1 + 0.02 * i) for i in range(120)], source, {"turn_entropy": 0.05})


@scenario(None)
def small_batches_of_many_classes(folder: Path) -> RecordBuilder:
    many = {"turn_entropy": 1.2, "turn_rows": 4.0, "labels": {str(i): 40 for i in range(30)}}
    return _data(folder, [1.4 / (1 + 0.02 * i) for i in range(120)], target=many)


def _validated(folder: Path, mean: float, std: float, **more: Any) -> RecordBuilder:
    source = LOOP + "with torch.no_grad():\n    shown = model(held_out)\n"
    record = _data(folder, [1.4 / (1 + 0.02 * i) for i in range(120)], source)
    valid = record.run().main_facts("input")[0].data
    valid = {**valid, "phase": "eval", **_large(mean, std), "rows": 300, **more}
    return record.fact("input", "v", valid, at="shown = model")


@scenario("preprocessing-mismatch", "scale", "shown = model", "warning")
def validation_is_raw(folder: Path) -> RecordBuilder:
    return _validated(folder, 40.0, 12.0)


@scenario("preprocessing-mismatch", "offset", "shown = model", "warning")
def validation_is_not_centred(folder: Path) -> RecordBuilder:
    return _validated(folder, 12.0, 1.5)


@scenario(None)
def validation_of_other_days(folder: Path) -> RecordBuilder:
    return _validated(folder, 0.8, 1.6)


@scenario(None)
def a_trial_call(folder: Path) -> RecordBuilder:
    return _validated(folder, 0.0, 0.0, rows=1, equal_rows=0)


def _regression(folder: Path, losses: list[float], **target: Any) -> RecordBuilder:
    known = {"function": "mse_loss", "labels": {}, "target_mean": 0.1, "target_var": 1.5, "target_n": 1280.0}
    record = _data(folder, losses, target=known | target)
    _optimizer(record)
    return _cross_entropy(record, function="mse_loss", n_classes=None)


@scenario("loss-plateau", "variance", "loss = criterion", "warning")
def the_mean_and_no_more(folder: Path) -> RecordBuilder:
    return _regression(folder, [v + 2.0 * math.exp(-i / 5) for i, v in enumerate(around(1.5, 200, 0.1))])


@scenario(None)
def a_fifth_is_explained(folder: Path) -> RecordBuilder:
    return _regression(folder, [v + 2.0 * math.exp(-i / 5) for i, v in enumerate(around(1.2, 200, 0.1))])


@scenario("loss-plateau", "sum", "loss.backward", "warning")
def two_heads_that_guess(folder: Path) -> RecordBuilder:
    record = _plateau(folder, around(math.log(4) + math.log(2), 120, 0.02))
    data = record.run().main_facts("loss_call")[0].data
    return record.fact("loss_call", "d", {**data, "n_classes": 2}, at="loss = criterion", count=40)


@scenario("loss-plateau", "by-hand", "loss.backward", "warning")
def entropy_written_by_hand(folder: Path) -> RecordBuilder:
    source = LOOP.replace("F.softmax(self.fc(x), dim=1)", "self.fc(x)")
    record = RecordBuilder(folder, source).steps(around(math.log(4), 120, 0.02)).fact("backward", "b", {}, at="loss.backward", count=40)
    _optimizer(record)
    return record.fact("output", "o", {"root": "0", "phase": "train", "shape": [32, 4]}, at="out = model", count=40)


@scenario("loss-diverges", "not-finite", "loss.backward", "warning")
def not_a_number_from_there_on(folder: Path) -> RecordBuilder:
    return _plateau(folder, [*around(0.9, 30, 0.1), *[math.nan] * 20])


@scenario("loss-diverges", "grows", "loss.backward", "warning")
def grows_a_hundredfold(folder: Path) -> RecordBuilder:
    return _plateau(folder, [1.1**i for i in range(60)])


@scenario(None)
def one_bad_batch(folder: Path) -> RecordBuilder:
    return _plateau(folder, [*(2 / (1 + i) for i in range(40)), math.inf, *(2 / (41 + i) for i in range(20))])


# ---- the plateau


def _plateau(folder: Path, losses: list[float], **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, LOOP).steps(losses).fact("backward", "b", {"deep": 0}, at="loss.backward", count=40)
    return _cross_entropy(record, **data)


@scenario("loss-plateau", "uniform", "loss = criterion", "warning")
def at_ln_four(folder: Path) -> RecordBuilder:
    return _plateau(folder, around(math.log(4), 120, 0.02))


@scenario("loss-plateau", "prior", "loss = criterion", "warning")
def at_the_prior(folder: Path) -> RecordBuilder:
    return _plateau(folder, around(0.3250830, 120, 0.004), n_classes=2, label_counts={"0": 900, "1": 100})


@scenario("loss-plateau", "uniform", "loss = criterion", "warning")
def settles_at_ln_four(folder: Path) -> RecordBuilder:
    return _plateau(folder, [v + 0.8 * math.exp(-i / 5) for i, v in enumerate(around(math.log(4), 200, 0.02))])


@scenario(None)
def learns_the_frequencies_of_a_text(folder: Path) -> RecordBuilder:
    losses = [v + 1.2 * math.exp(-i / 10) for i, v in enumerate(around(2.4919, 200, 0.02))]
    return _plateau(folder, losses, n_classes=30, label_counts={str(i): int(1e4 * 0.8**i) for i in range(30)})


@scenario("loss-plateau", "coin", "loss = criterion", "warning")
def at_ln_two(folder: Path) -> RecordBuilder:
    return _plateau(folder, around(math.log(2), 120, 0.01), function="binary_cross_entropy_with_logits", n_classes=None)


@scenario("loss-plateau", "uniform", "loss = criterion", "warning")
def at_ln_four_on_detached_scores(folder: Path) -> RecordBuilder:
    return _plateau(folder, around(math.log(4), 120, 0.02), train_count=0)


@scenario(None)
def error_told_once(folder: Path) -> RecordBuilder:
    # index_select says «index out of range in self» as an embedding does; its own fact is there.
    record = _index(folder, "unique", "out = model", size=10, min=0, max=10, values=[10])
    return record.fact("exception", "last", {"type": "IndexError", "message": "index out of range in self"}, at="out = model")


@scenario("loss-plateau", "constant", "loss = criterion", "warning")
def constant(folder: Path) -> RecordBuilder:
    return _plateau(folder, [0.25] * 60)


@scenario(None)
def falls_slowly(folder: Path) -> RecordBuilder:
    return _plateau(folder, [math.log(4) * (1 - 0.0003 * i) for i in range(120)])


@scenario(None)
def noise_floor(folder: Path) -> RecordBuilder:
    return _plateau(folder, [3.0 / (1 + i) + v for i, v in enumerate(around(0.5, 120, 0.02))], function="mse_loss", n_classes=None)


@scenario(None)
def too_short(folder: Path) -> RecordBuilder:
    return _plateau(folder, around(math.log(4), 40, 0.02))


@scenario(None)
def smoothed_and_converged(folder: Path) -> RecordBuilder:
    return _plateau(folder, [1.0 / (1 + i) + v for i, v in enumerate(around(0.36, 120, 0.01))], label_smoothing=0.1)


import scenarios_data  # noqa: E402, F401 (registers its own)
import scenarios_indices  # noqa: E402, F401
import scenarios_layers  # noqa: E402, F401 (registers its own)
import scenarios_loss  # noqa: E402, F401 (registers its own)
import scenarios_repeats  # noqa: E402, F401 (registers its own)
import scenarios_update  # noqa: E402, F401
