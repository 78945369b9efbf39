"""Records of the health of layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records_builder import RecordBuilder
from scenarios import scenario

NET = """
import torch
import torch.nn as nn

net = nn.Sequential(
    nn.Linear(8, 16),  # one
    nn.ReLU(),
    nn.Linear(16, 16),  # two
    nn.ReLU(),
    nn.Linear(16, 4),  # three
)
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.zeros_(layer.weight)
        nn.init.constant_(layer.bias, -9.0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
"""
STEPS = (0, 1, 2, 3, 5, 8)
FINE = [0.2, 0.3, 0.4, 0.01, 0.03, 0.05, 16, 0]
"""w_rms, w_max, w_unlike, g_rms, g_max, g_unlike, units, units without a gradient."""
ZERO = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 16, 16]


def grads(*rows: list[float]) -> list[list[float]]:
    """Rows at the usual steps; the last is repeated."""
    return [[step, *rows[min(number, len(rows) - 1)]] for number, step in enumerate(STEPS)]


def relu(*dead: int, feeds: bool = True) -> dict[str, Any]:
    return {"op": "relu", "kind": "relu", "site": None, "feeds": feeds, "looks": [[step, 16, n] for step, n in enumerate(dead)]}


class Net:
    """A record with layers in a row."""

    def __init__(self, folder: Path, losses: list[float] | None = None, source: str = NET) -> None:
        self.record = RecordBuilder(folder, source)
        self.names: list[str] = []
        if losses:
            self.record.steps(losses)

    def layer(
        self,
        rows: list[list[float]],
        *,
        name: str = "",
        fill: str | None = None,
        bias: str | None = None,
        built: str | None = "# one",
        **data: Any,
    ) -> Net:
        key = str(2 * len(self.names))
        record = self.record
        origin = {"built_site": record.site(built), "fill_site": record.site(fill), "fill_own": fill is not None}
        bias_origin = {"built_site": None, "fill_site": record.site(bias), "fill_own": bias is not None}
        looks = data.pop("looks", [[0, 0.0, 1.0, 1.0, 0.0, 0.5, 0.4], [1, 0.0, 1.0, 1.0, 0.0, 0.5, 0.4]])
        record.fact("param", key, {"name": f"{name or key}.weight", "optimizer": "0"})
        whole = {"order": len(self.names), "name": f"{name or key}.weight", "units": 16, "shape": [16, 16], "depth": len(self.names)}
        whole |= {"behind": list(self.names), "looks": looks, "grads": rows, "origin": origin, "activation": None}
        record.fact("layer", key, whole | {"bias": {"key": "1", "origin": bias_origin}} | data, at="criterion(net")
        self.names.append(key)
        return self


@scenario("zero-init", "blocked", "zeros_")
def two_layers_of_zeros(folder: Path) -> RecordBuilder:
    empty = [[0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    net = Net(folder).layer(grads(ZERO), fill="zeros_", activation=relu(16, 16))
    return net.layer(grads(ZERO), fill="zeros_", looks=empty).record


@scenario("zero-init", "silent", "zeros_")
def one_layer_of_zeros_before_a_relu(folder: Path) -> RecordBuilder:
    return Net(folder).layer(grads(ZERO), fill="zeros_", activation=relu(16, 16)).layer(grads(FINE)).record


@scenario("zero-init", "same", "zeros_")
def zeros_before_sigmoids(folder: Path) -> RecordBuilder:
    same = [0.1, 0.1, 0.0, 0.01, 0.01, 0.0, 16, 0]
    net = Net(folder).layer(grads(ZERO, same), fill="zeros_").layer(grads(ZERO, same), fill="zeros_")
    return net.layer(grads(ZERO, FINE), fill="zeros_").record


UNTOLD = [[0, 0.1, 0.4, 0.0, 0.0, 0.3, 0.0], [1, 0.1, 0.4, 0.0, 0.0, 0.3, 0.0]]
"""What a layer is given is the same for all samples."""


@scenario("zero-init", "untold", "zeros_")
def zeros_that_are_left_by_biases(folder: Path) -> RecordBuilder:
    net = Net(folder, FLAT).layer(grads(ZERO, FINE), fill="zeros_")
    return net.layer(grads(ZERO, FINE), fill="zeros_", looks=UNTOLD).record


@scenario(None)
def zeros_that_are_left_and_learn(folder: Path) -> RecordBuilder:
    net = Net(folder, [1.4 / (1 + 0.2 * i) for i in range(60)]).layer(grads(ZERO, FINE), fill="zeros_")
    return net.layer(grads(ZERO, FINE), fill="zeros_", looks=UNTOLD).record


@scenario(None)
def zero_at_first_only(folder: Path) -> RecordBuilder:
    return Net(folder).layer(grads(ZERO, FINE), fill="zeros_").layer(grads(ZERO, FINE), fill="zeros_").record


@scenario(None)
def zero_heads_behind_nothing(folder: Path) -> RecordBuilder:
    empty = [[0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    return Net(folder).layer(grads(FINE)).layer(grads(ZERO), fill="zeros_", looks=empty).record


@scenario("constant-init", "same", "zeros_")
def units_that_are_copies(folder: Path) -> RecordBuilder:
    same = [0.1, 0.1, 0.0, 0.01, 0.01, 0.0, 16, 0]
    return Net(folder).layer(grads(same), fill="zeros_").layer(grads(same), fill="zeros_").layer(grads(FINE)).record


@scenario(None)
def the_last_layer_is_constant(folder: Path) -> RecordBuilder:
    same = [0.1, 0.1, 0.0, 0.01, 0.01, 0.0, 16, 0]
    return Net(folder).layer(grads(FINE)).layer(grads(same), fill="zeros_").record


DEAD = [0.2, 0.3, 0.4, 0.0, 0.0, 0.0, 16, 16]
MOSTLY = [0.2, 0.3, 0.4, 0.01, 0.03, 0.05, 16, 14]
BIAS_ONLY = [0.2, 0.3, 0.4, 0.0, 0.0, 0.0, 16, 0]
FLAT = [1.4] * 60
FALLING = [1.4 / (1 + 0.1 * i) for i in range(60)]


@scenario("dead-relu", "all-start", "constant_")
def dead_from_the_start(folder: Path) -> RecordBuilder:
    return Net(folder).layer(grads(DEAD), bias="constant_", activation=relu(16, 16)).layer(grads(BIAS_ONLY)).record


@scenario("dead-relu", "all-later", "# one")
def died_later(folder: Path) -> RecordBuilder:
    return Net(folder).layer(grads(FINE, DEAD), bias="constant_", activation=relu(0, 0), looks=[]).layer(grads(FINE, BIAS_ONLY)).record


@scenario("dead-relu", "most-start", "# one", "warning")
def most_dead_from_the_start(folder: Path) -> RecordBuilder:
    return Net(folder, FLAT).layer(grads(MOSTLY), activation=relu(14, 14)).layer(grads(FINE)).record


@scenario("dead-relu", "most-later", "# one", "warning")
def most_died_later(folder: Path) -> RecordBuilder:
    return Net(folder, FLAT).layer(grads(FINE, FINE, MOSTLY), activation=relu(0, 15, 15)).layer(grads(FINE)).record


@scenario(None)
def sparse_and_learning(folder: Path) -> RecordBuilder:
    return Net(folder, FALLING).layer(grads(MOSTLY), activation=relu(14, 14)).layer(grads(FINE)).record


@scenario(None)
def no_gradient_for_another_reason(folder: Path) -> RecordBuilder:
    return Net(folder, FLAT).layer(grads(DEAD), activation=relu(2, 2)).layer(grads(DEAD)).record


@scenario(None)
def margin_in_a_loss(folder: Path) -> RecordBuilder:
    return Net(folder).layer(grads(DEAD), activation=relu(16, 16, feeds=False)).record


def squash(slope: float, beyond: float, kind: str = "tanh", later: float | None = None) -> dict[str, Any]:
    looks = [[0, slope, beyond], [1, slope, beyond], [8, later or slope, beyond], [9, later or slope, beyond]]
    return {"op": kind, "kind": kind, "site": None, "feeds": True, "looks": looks}


SQUASHED = NET.replace("ReLU", "Tanh")
WIDE = [[0, 0.0, 1.0, 1.0, 0.0, 30.0, 29.0], [9, 0.0, 1.0, 1.0, 0.0, 30.0, 29.0]]


@scenario("saturated-activations", "start", "zeros_")
def flat_from_large_weights(folder: Path) -> RecordBuilder:
    return Net(folder, FLAT).layer(grads(FINE), fill="zeros_", looks=WIDE, activation=squash(0.02, 0.97)).layer(grads(FINE)).record


@scenario("saturated-activations", "start", "# one")
def flat_from_large_inputs(folder: Path) -> RecordBuilder:
    inputs = [[0, 100.0, 80.0, 80.0, 0.0, 40.0, 39.0]]
    return Net(folder, FLAT).layer(grads(FINE), looks=inputs, activation=squash(0.02, 0.97)).layer(grads(FINE)).record


@scenario("saturated-activations", "start", "constant_")
def flat_from_a_bias(folder: Path) -> RecordBuilder:
    looks = [[0, 0.0, 1.0, 1.0, -9.0, 0.6, 0.5]]
    net = Net(folder, FLAT).layer(grads(FINE), bias="constant_", looks=looks, activation=squash(0.02, 0.97))
    return net.layer(grads(FINE)).record


def _given_large(record: RecordBuilder) -> RecordBuilder:
    record.fact("module", 0, {"cls": "Sequential", "n_trainable": 4}, at="criterion(net")
    given = {
        "root": "0", "name": "0", "phase": "train", "loader": None, "dtype": "float32", "shape": [32, 8], "calls": 40, "rows": 1280,
        "checked": 40, "compared": 40, "equal_rows": 0, "mean": 100.0, "std": 80.0, "min": -60.0, "max": 260.0, "n_features": 8,
        "features": [[100.0, 80.0, -60.0, 260.0]] * 8, "recent": [[i, 100.0, 80.0, 80.0] for i in range(40)],
    }  # fmt: skip
    return record.fact("input", "i", given, at="criterion(net", count=40)


LARGE_LOOKS = [[0, 100.0, 80.0, 80.0, 0.0, 40.0, 39.0]]


@scenario("input-scale-large", "range", "criterion(net")
def flat_from_large_inputs_of_the_model(folder: Path) -> RecordBuilder:
    net = Net(folder, FLAT).layer(grads(FINE), looks=LARGE_LOOKS, activation=squash(0.02, 0.97))
    return _given_large(net.layer(grads(FINE)).record)


@scenario("input-scale-large", "range", "criterion(net")
def killed_by_large_inputs(folder: Path) -> RecordBuilder:
    net = Net(folder, FLAT).layer(grads(FINE, DEAD), looks=LARGE_LOOKS, activation=relu(0, 16, 16))
    return _given_large(net.layer(grads(FINE, BIAS_ONLY)).record)


@scenario("saturated-activations", "later", "# one", "warning")
def flat_later(folder: Path) -> RecordBuilder:
    return Net(folder, FLAT).layer(grads(FINE), looks=[], activation=squash(0.6, 0.1, later=0.01)).layer(grads(FINE)).record


@scenario(None)
def flat_and_learning(folder: Path) -> RecordBuilder:
    losses = [1.4 / (1 + i) for i in range(60)]
    return Net(folder, losses).layer(grads(FINE), activation=squash(0.02, 0.97)).layer(grads(FINE)).record


def sized(*sizes: float) -> list[list[list[float]]]:
    return [grads([0.2, 0.3, 0.4, size, 3 * size, 5 * size, 16, 0]) for size in sizes]


def row(
    folder: Path, losses: list[float], sizes: list[float], activation: dict[str, Any] | None = None, source: str = NET
) -> RecordBuilder:
    net = Net(folder, losses, source)
    for rows in sized(*sizes):
        net.layer(rows, activation=activation)
    return net.record


@scenario("vanishing-gradients", "falls", "nn.Sigmoid()", "warning")
def vanishes_in_sigmoids(folder: Path) -> RecordBuilder:
    source = NET.replace("nn.ReLU(),\n    nn.Linear(16, 16)", "nn.Sigmoid(),\n    nn.Linear(16, 16)").replace("nn.ReLU", "nn.Identity")
    return row(folder, FLAT, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2], squash(0.9, 0.0, "sigmoid"), source)


@scenario("vanishing-gradients", "falls", "# one", "warning")
def vanishes_in_small_tanhs(folder: Path) -> RecordBuilder:
    return row(folder, FLAT, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2], squash(0.9, 0.0, "tanh"))


@scenario("vanishing-gradients", "falls-to-zero", "# one", "warning")
def vanishes_altogether(folder: Path) -> RecordBuilder:
    return row(folder, FLAT, [0.0, 1e-38, 1e-25, 1e-12, 1e-2])


@scenario(None)
def small_first_gradients_and_learning(folder: Path) -> RecordBuilder:
    return row(folder, FALLING, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2])


GROWING = [1.0 * 1.2**i for i in range(60)]


def recurrent(folder: Path, last: float) -> RecordBuilder:
    net = Net(folder, GROWING).layer(grads(FINE), uses=40, sequence=[[2, 1.0], [8, 60.0], [32, last]])
    return net.layer(grads(FINE)).record


@scenario("exploding-gradients", "length", "# one", "warning")
def grows_over_a_sequence(folder: Path) -> RecordBuilder:
    return recurrent(folder, 1e8)


@scenario("exploding-gradients", "length-broken", "# one", "warning")
def breaks_over_a_sequence(folder: Path) -> RecordBuilder:
    return recurrent(folder, float("inf"))


@scenario("exploding-gradients", "depth", "# one", "warning")
def grows_towards_the_data(folder: Path) -> RecordBuilder:
    return row(folder, FLAT, [1e3, 1e2, 10.0, 1.0, 1e-2])


@scenario("exploding-gradients", "steps", "loss.backward", "warning")
def grows_over_the_steps(folder: Path) -> RecordBuilder:
    large = [0.2, 0.3, 0.4, 1e4, 1e5, 1e5, 16, 0]
    return Net(folder, GROWING).layer(grads(FINE, large)).layer(grads(FINE, large)).record.fact("backward", "0", {}, at="loss.backward")


@scenario("exploding-gradients", "steps-broken", "loss.backward", "warning")
def breaks_over_the_steps(folder: Path) -> RecordBuilder:
    large = [0.2, 0.3, 0.4, float("inf"), 1e5, 1e5, 16, 0]
    return Net(folder, GROWING).layer(grads(FINE, large)).layer(grads(FINE, large)).record.fact("backward", "0", {}, at="loss.backward")


@scenario(None)
def large_gradients_and_learning(folder: Path) -> RecordBuilder:
    return row(folder, FALLING, [1e3, 1e2, 10.0, 1.0, 1e-2])


def signal(folder: Path, ends: list[float], losses: list[float], fill: str | None = None) -> RecordBuilder:
    net = Net(folder, losses)
    for before, after in zip([1.0, *ends], ends, strict=False):
        net.layer(grads(FINE), fill=fill, looks=[[0, 0.0, before, before, 0.0, after, after]])
    return net.record


@scenario("init-scale", "grows", "zeros_", "warning")
def signal_grows(folder: Path) -> RecordBuilder:
    return signal(folder, [30.0, 900.0, 27_000.0], FLAT, "zeros_")


@scenario("init-scale", "shrinks", "# one", "warning")
def signal_shrinks(folder: Path) -> RecordBuilder:
    return signal(folder, [1e-2, 1e-4, 1e-6], FLAT)


@scenario("init-scale", "first-loss", "zeros_", "warning")
def first_loss_far_off(folder: Path) -> RecordBuilder:
    losses = [60.0 / (1 + i) + 0.5 for i in range(60)]
    record = signal(folder, [6.0, 40.0], losses, "zeros_")
    record.fact("loss_call", "c", {"function": "cross_entropy", "train_count": 60, "n_classes": 4}, at="criterion(net", count=60)
    record.fact(
        "target",
        "t",
        {
            "function": "cross_entropy",
            "loss_call": "c",
            "labels": {"0": 50, "1": 50, "2": 50, "3": 50},
            "phase": "train",
            "values": [[0, losses[0]]],
        },
    )
    return record.fact("backward", "0", {"count": 60}, at="loss.backward")


@scenario(None)
def signal_shrinks_and_learns(folder: Path) -> RecordBuilder:
    return signal(folder, [1e-2, 1e-4, 1e-6], FALLING)
