"""Records for the rules on what the loss is given and with which sign it is minimised. Registered by ``scenarios``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records_builder import RecordBuilder
from scenarios import scenario

NET = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def forward(self, x):
        return F.softmax(self.fc(x), dim=0)

class Attention(nn.Module):
    def forward(self, q, k, v):
        weights = torch.softmax(q @ k, dim=1)
        return weights @ v

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.NLLLoss(reduction="sum")
for x, y in loader:
    advantage = reward - reward.mean()
    out = torch.sigmoid(model(x))
    hidden = torch.relu(model(x))
    squeezed = torch.tanh(model(x))
    loss = criterion(out, y)
    picked = (logp * advantage).mean()
    loss.backward()
    optimizer.step()
"""
LOSS = "loss = criterion"


def _call(folder: Path, function: str, **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, NET).fact("backward", "b", {"count": 40, "deep": 3}, at="loss.backward")
    whole = {
        "function": function, "count": 40, "train_count": 40, "looked": 10, "activation_calls": 10, "reduction": "mean", "weighted": False,
        "input_shape": [32, 5], "target_shape": [32], "n_classes": 5, "input_dtype": "float32", "target_dtype": "int64",
    }  # fmt: skip
    sites = {"activation_site": record.site(data.pop("made"))} if "made" in data else {}
    return record.fact("loss_call", f"{function}@l", whole | sites | data, at=LOSS, count=40)


def _sums(one: dict[str, int], *, off: int = 320, low: float = 0.2, high: float = 5.0) -> dict[str, Any]:
    return {"calls": 10, "one": one, "rows": 320, "off_rows": off, "low": low, "high": high}


def _targets(**counts: Any) -> dict[str, Any]:
    names = ("below_0", "above_1", "other", "zeros", "minus_ones", "ones", "below_half")
    return {"looks": 10, "elements": 320, "min": 0.0, "max": 1.0, **dict.fromkeys(names, 0), **counts}


SIGMOID = {"activation": "sigmoid", "made": "torch.sigmoid", "output_min": 0.1, "output_max": 0.9, "outputs": 320}


@scenario("sigmoid-before-bce-with-logits", "graph", "torch.sigmoid")
def sigmoid_twice(folder: Path) -> RecordBuilder:
    return _call(folder, "binary_cross_entropy_with_logits", targets=_targets(zeros=160, ones=160), **SIGMOID)


@scenario("sigmoid-before-bce-with-logits", "graph", "torch.sigmoid")
def sigmoid_twice_weighted(folder: Path) -> RecordBuilder:
    return _call(folder, "binary_cross_entropy_with_logits", targets=_targets(zeros=160, ones=160), **SIGMOID | {"weighted": True})


@scenario(None)
def sigmoid_of_a_part(folder: Path) -> RecordBuilder:
    return _call(folder, "binary_cross_entropy_with_logits", **SIGMOID | {"activation_calls": 5})


@scenario("nll-without-log-softmax", "probabilities", "F.softmax")
def nll_of_probabilities(folder: Path) -> RecordBuilder:
    sums = {"value": _sums({"0": 0, "1": 10}, off=0), "exp": _sums({"0": 0, "1": 0}, low=6.1, high=6.7)}
    return _call(folder, "nll_loss", activation="softmax", made="F.softmax", sums=sums, input_min=0.0, input_max=1.0)


@scenario("nll-without-log-softmax", "values", LOSS)
def nll_of_given_probabilities(folder: Path) -> RecordBuilder:
    sums = {"value": _sums({"0": 0, "1": 10}, off=0), "exp": _sums({"0": 0, "1": 0}, low=6.1, high=6.7)}
    return _call(folder, "nll_loss", activation=None, activation_calls=0, sums=sums, input_min=0.0, input_max=1.0)


@scenario("nll-without-log-softmax", "scores", LOSS)
def nll_of_scores(folder: Path) -> RecordBuilder:
    sums = {"value": _sums({"0": 0, "1": 0}), "exp": _sums({"0": 0, "1": 0}, low=3.1, high=21.0)}
    return _call(folder, "nll_loss", activation=None, activation_calls=0, sums=sums, input_min=-3.0, input_max=4.0)


@scenario(None)
def nll_of_a_part(folder: Path) -> RecordBuilder:
    sums = {"value": _sums({"0": 0, "1": 0}), "exp": _sums({"0": 0, "1": 0}, low=0.3, high=0.8)}
    return _call(folder, "nll_loss", activation="log_softmax", picked=True, sums=sums, input_min=-9.0, input_max=-0.1)


@scenario("softmax-wrong-dim", "loss", "F.softmax")
def normalised_over_the_batch(folder: Path) -> RecordBuilder:
    sums = {"value": _sums({"0": 10, "1": 0}), "exp": _sums({"0": 0, "1": 0}, high=1.2)}
    return _call(folder, "cross_entropy", activation="softmax", made="F.softmax", sums=sums, softmax_kind="softmax")


@scenario("softmax-wrong-dim", "flattened", "F.softmax")
def softmax_over_time(folder: Path) -> RecordBuilder:
    sums = {"value": _sums({"0": 0, "1": 0}), "exp": _sums({"0": 0, "1": 0}, high=1.2)}
    shape = {"softmax_shape": [4, 8, 5], "softmax_dim": 1}
    return _call(folder, "cross_entropy", activation="softmax", made="F.softmax", sums=sums, **shape)


@scenario("softmax-wrong-dim", "picked", "F.softmax")
def picked_along_another(folder: Path) -> RecordBuilder:
    where = {"softmax_dim": 0, "softmax_shape": [32, 5], "selected_dim": 1, "selected_shape": [32, 5]}
    return _term(folder, "log_prob", minus=4, **where)


@scenario("softmax-wrong-dim", "attention", "torch.softmax(q")
def attention_over_heads(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, NET).fact("backward", "b", {"count": 40, "deep": 3}, at="loss.backward")
    data = {"kind": "softmax", "looks": 3, "one": 0, "size_max": 4, "others_max": 640, "dim": 1, "shape": [16, 4, 10, 10]}
    site = record.site("weights @ v")
    return record.fact("softmax", "s", data | {"products": 3, "other_dim": 3, "made_by": "scores", "product_site": site}, at="q @ k")


ONE = {"kind": "softmax", "looks": 3, "one": 3, "size_max": 1, "others_max": 32, "dim": 1, "shape": [32, 1], "made_by": "layer"}


@scenario("single-unit-softmax", "output", "F.softmax")
def one_output(folder: Path) -> RecordBuilder:
    shape = {"softmax_shape": [32, 1], "softmax_dim": 1, "input_shape": [32, 1], "n_classes": None}
    record = _call(folder, "mse_loss", activation="softmax", made="F.softmax", **shape)
    return record.fact("softmax", "s", ONE, at="F.softmax")


@scenario("single-unit-softmax", "inside", "F.softmax", "warning")
def one_score(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, NET).fact("backward", "b", {"count": 40, "deep": 3}, at="loss.backward")
    return record.fact("softmax", "s", ONE | {"shape": [32, 12, 1], "dim": 2}, at="F.softmax")


@scenario("single-unit-softmax", "cross-entropy", LOSS)
def one_class(folder: Path) -> RecordBuilder:
    return _call(folder, "cross_entropy", input_shape=[32, 1], n_classes=1)


REACH = {"reach_looks": 10, "reach_targets": 320, "target_min": -2.5, "target_max": 2.0, "low": 0.0, "high": None}


@scenario("relu-on-output", "beyond", "torch.relu")
def targets_below_zero(folder: Path) -> RecordBuilder:
    outputs = {"outputs": 320, "output_zeros": 20, "all_zero_looks": 0}
    return _call(folder, "mse_loss", activation="relu", made="torch.relu", beyond=160, n_classes=None, **REACH, **outputs)


@scenario("relu-on-output", "beyond", "torch.tanh")
def targets_on_both_sides(folder: Path) -> RecordBuilder:
    ends = REACH | {"low": -1.0, "high": 1.0}
    return _call(folder, "l1_loss", activation="tanh", made="torch.tanh", beyond=100, n_classes=None, **ends)


@scenario("relu-on-output", "beyond-dead", "torch.relu")
def targets_below_zero_and_dead(folder: Path) -> RecordBuilder:
    outputs = {"outputs": 320, "output_zeros": 320, "all_zero_looks": 10}
    return _call(folder, "mse_loss", activation="relu", made="torch.relu", beyond=160, n_classes=None, **REACH, **outputs)


@scenario("relu-on-output", "dead", "torch.relu")
def outputs_dead(folder: Path) -> RecordBuilder:
    outputs = {"outputs": 1600, "output_zeros": 1500, "all_zero_looks": 8}
    return _call(folder, "cross_entropy", activation="relu", made="torch.relu", low=0.0, high=None, **outputs)


@scenario("relu-on-output", "half", "torch.relu")
def scores_above_zero(folder: Path) -> RecordBuilder:
    targets = _targets(zeros=160, ones=160, below_half=160)
    ends = {"low": 0.0, "high": None, "output_min": 0.0, "output_max": 3.0}
    return _call(folder, "binary_cross_entropy_with_logits", activation="relu", made="torch.relu", targets=targets, **ends)


@scenario("relu-on-output", "squeezed-binary", "torch.tanh")
def scores_of_tanh(folder: Path) -> RecordBuilder:
    targets = _targets(zeros=160, ones=160, below_half=160)
    ends = {"low": -1.0, "high": 1.0, "output_min": -0.9, "output_max": 0.9}
    return _call(folder, "binary_cross_entropy_with_logits", activation="tanh", made="torch.tanh", targets=targets, **ends)


@scenario("relu-on-output", "squeezed", "torch.sigmoid")
def scores_of_sigmoid(folder: Path) -> RecordBuilder:
    return _call(folder, "cross_entropy", low=0.0, high=1.0, **SIGMOID)


@scenario(None)
def few_targets_beyond(folder: Path) -> RecordBuilder:
    return _call(folder, "mse_loss", activation="relu", made="torch.relu", beyond=6, n_classes=None, **REACH)


# ---- terms


def _term(folder: Path, head: str, at: str = LOSS, cls: str = "Adam", group: dict[str, Any] | None = None, **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, NET).fact("backward", "b", {"count": 40, "deep": 4}, at="loss.backward")
    record.fact("optimizer", 0, {"cls": cls, "steps": 40, "groups": [{"lr": 0.1} | (group or {})]}, at="torch.optim.SGD", count=40)
    record.fact("param", 0, {"name": "fc.weight", "registered": True, "is_parameter": True, "optimizer": "0"})
    counts = dict.fromkeys(("plus", "minus", "mixed", "unknown", "varied", "sampled"), 0)
    whole = {"head": head, "looks": 4, **counts, "scale": 1.0, "total": 1.0, "averaged": True, "path_sign": 1, "factors": [None, None]}
    sites = {"backward_site": record.site("loss.backward"), "softmax_site": record.site("F.softmax")}
    sites["factor_site"] = record.site("logp * advantage") if data.get("varied") else None
    return record.fact("loss_term", "t", whole | sites | data, at=at)


@scenario("loss-sign", "negated", LOSS)
def loss_negated(folder: Path) -> RecordBuilder:
    return _term(folder, "cross_entropy", function="cross_entropy", reduction="mean", minus=4)


@scenario("loss-sign", "likelihood", LOSS)
def likelihood_without_minus(folder: Path) -> RecordBuilder:
    return _term(folder, "log_prob", plus=4)


@scenario("loss-sign", "policy", "logp * advantage")
def policy_without_minus(folder: Path) -> RecordBuilder:
    return _term(folder, "log_prob", mixed=4, varied=4, sampled=4)


@scenario(None)
def policy_with_minus(folder: Path) -> RecordBuilder:
    return _term(folder, "log_prob", mixed=4, varied=4, sampled=4, path_sign=-1)


@scenario("loss-sign", "maximize", "torch.optim.SGD")
def loss_maximized(folder: Path) -> RecordBuilder:
    return _term(folder, "mse_loss", function="mse_loss", reduction="mean", plus=4, group={"maximize": True})


@scenario("loss-sign", "negative-rate", "torch.optim.SGD")
def loss_ascended(folder: Path) -> RecordBuilder:
    return _term(folder, "square", plus=4, group={"lr": -0.1})


@scenario(None)
def likelihood_maximized(folder: Path) -> RecordBuilder:
    return _term(folder, "log_prob", plus=4, group={"maximize": True})


@scenario("loss-reduction-sum", "summed", LOSS, "warning")
def summed_and_up(folder: Path) -> RecordBuilder:
    record = _term(folder, "square", cls="SGD", plus=4, averaged=False, total=64.0)
    return record.steps([10.0 + step for step in range(40)])


@scenario("loss-reduction-sum", "summed", LOSS, "warning")
def summed_by_the_function(folder: Path) -> RecordBuilder:
    record = _term(folder, "nll_loss", cls="SGD", function="nll_loss", reduction="sum", plus=4, averaged=False)
    record.fact("loss_call", "nll", {"function": "nll_loss", "target_shape": [32], "reduction": "sum"}, at=LOSS)
    return record.steps([10.0] * 10 + [float("inf")] * 5)


@scenario(None)
def summed_and_divided(folder: Path) -> RecordBuilder:
    record = _term(folder, "square", cls="SGD", plus=4, averaged=False, total=64.0, scale=1 / 64)
    return record.steps([10.0] * 5 + [11.0] * 30)


# ---- targets

PADDED = {"id": 0, "looks": 6, "targets": 960, "pads": 500, "rows": 96, "padded_rows": 90}


@scenario("padding-in-loss", "counted", LOSS, "warning")
def padding_counted(folder: Path) -> RecordBuilder:
    return _call(folder, "cross_entropy", padding=PADDED, ignore_index=-100, activation=None)


@scenario(None)
def little_padding(folder: Path) -> RecordBuilder:
    return _call(folder, "cross_entropy", padding=PADDED | {"pads": 200}, ignore_index=-100, activation=None)


def _raises(folder: Path, function: str, text: str, at: str = LOSS, **data: Any) -> RecordBuilder:
    record = _call(folder, function, activation=None, **data)
    error = {"type": "RuntimeError", "message": text, "phase": "loss" if at == LOSS else "backward"}
    return record.fact("exception", "last", error, at=at)


@scenario("target-dtype", "indices-raised", LOSS)
def labels_int32(folder: Path) -> RecordBuilder:
    return _raises(folder, "cross_entropy", "expected target dtype to be Long or Byte, but got Int", target_dtype="int32")


@scenario("target-dtype", "floats-raised", LOSS)
def labels_long_for_bce(folder: Path) -> RecordBuilder:
    text = "result type Float can't be cast to the desired output type Long"
    return _raises(folder, "binary_cross_entropy_with_logits", text, n_classes=None)


@scenario("target-dtype", "floats-raised", LOSS)
def doubles_seen_in_backward(folder: Path) -> RecordBuilder:
    text = "Found dtype Double but expected Float"
    return _raises(folder, "mse_loss", text, at="loss.backward", n_classes=None, target_dtype="float64")


@scenario("target-dtype", "one-hot-raised", LOSS)
def one_hot_integers(folder: Path) -> RecordBuilder:
    text = "Expected floating point type for target with class probabilities, got Long"
    return _raises(folder, "cross_entropy", text, target_shape=[32, 5])


@scenario("target-dtype", "shape-raised", LOSS)
def column_of_labels(folder: Path) -> RecordBuilder:
    text = "0D or 1D target tensor expected, multi-target not supported"
    return _raises(folder, "cross_entropy", text, target_shape=[32, 1])


@scenario("target-dtype", "signed", LOSS)
def zero_and_one_for_signs(folder: Path) -> RecordBuilder:
    targets = _targets(zeros=150, ones=170, below_half=150)
    return _call(folder, "soft_margin_loss", activation=None, targets=targets, target_dtype="float32")


@scenario("target-dtype", "signed", LOSS)
def zero_and_one_for_a_hinge(folder: Path) -> RecordBuilder:
    return _term(folder, "hinge", plus=4, labels=96, zero_labels=40, one_labels=56)


@scenario("target-dtype", "multi-hot", LOSS, "warning")
def several_labels_a_row(folder: Path) -> RecordBuilder:
    sums = {"target": _sums({"0": 0, "1": 0}, off=200, low=0.0, high=3.0)}
    targets = _targets(zeros=150, ones=170, below_half=150)
    return _call(folder, "cross_entropy", activation=None, targets=targets, sums=sums, target_shape=[32, 5], target_dtype="float32")


@scenario("target-range", "signed", LOSS)
def signs_for_bce(folder: Path) -> RecordBuilder:
    targets = _targets(min=-1.0, below_0=150, minus_ones=150, ones=170, below_half=150)
    return _call(folder, "binary_cross_entropy_with_logits", activation=None, targets=targets)


@scenario("target-range", "binary", LOSS)
def pixels_for_bce(folder: Path) -> RecordBuilder:
    targets = _targets(max=255.0, above_1=318, other=318, zeros=2)
    return _call(folder, "binary_cross_entropy", activation=None, targets=targets)


@scenario("target-range", "counts", LOSS)
def negative_counts(folder: Path) -> RecordBuilder:
    targets = _targets(min=-3.0, max=4.0, below_0=100, other=300)
    return _call(folder, "poisson_nll_loss", activation=None, targets=targets)


@scenario(None)
def noisy_labels(folder: Path) -> RecordBuilder:
    targets = _targets(min=-0.1, max=1.15, below_0=60, above_1=80, other=320)
    return _call(folder, "binary_cross_entropy_with_logits", activation=None, targets=targets)


DETACHED = {"count": 40, "deep": 3, "requires_grad": 40, "reached_none": 3, "reached_max": 0, "independent": 3, "used_max": 4}


@scenario("loss-detached-from-model", "call", LOSS)
def loss_of_the_input(folder: Path) -> RecordBuilder:
    record = _call(folder, "mse_loss", activation=None, train_count=0, grad_mode_count=40, n_classes=None)
    return record.fact("backward", "b", DETACHED, at="loss.backward").fact("param", 0, {"name": "fc.weight", "registered": True})


@scenario("loss-detached-from-model", "value", "loss.backward")
def loss_of_other_values(folder: Path) -> RecordBuilder:
    record = RecordBuilder(folder, NET).fact("backward", "b", DETACHED, at="loss.backward")
    return record.fact("param", 0, {"name": "fc.weight", "registered": True})
