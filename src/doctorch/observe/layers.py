"""The health of layers: how large their outputs, weights and gradients are, which units are dead or saturated, in order of depth.

A layer is a weight (two dimensions and more, trained) that a forward operator multiplies by: of a module, or a Parameter written by
hand. Outputs and activations are looked at in deep segments, weights and gradients before some of the optimizer's steps.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from doctorch.observe import layer_kinds as kinds
from doctorch.observe import reductions, values
from doctorch.observe.deep import _address
from doctorch.observe.events import Watcher
from doctorch.observe.layer_state import Activation, Layer, Trace, histogram
from doctorch.observe.lines import Site
from doctorch.observe.optimizers import OptimizerWatch
from doctorch.observe.origins import Origins
from doctorch.observe.params import Param
from doctorch.observe.session import Session

MAX_LAYERS = 200
MAX_LOOKS = 12
"""Deep segments whose outputs are kept of a layer."""
MAX_GRADS = 40
FIRST_LOOKS = frozenset({0, 1, 2, 3, 5, 8, 12, 16, 20, 23})
"""Steps of an optimizer before which gradients are looked at; later each time its steps have grown by half, where they are followed."""


class LayerWatcher(Watcher):
    """Follows values from layer to activation to layer in deep segments, and gradients by layer on some steps."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.origins = session.origins = Origins(session)
        self.layers: dict[int, Layer] = {}
        """By index of the parameter, in order of first use."""
        self.traces: dict[int, Trace] = {}
        self.aliases: dict[int, tuple[weakref.ref[Any], Param]] = {}
        """Copies of parameters in another precision."""
        self.segment = 0
        self.due: dict[str, int] = {}

    def install(self) -> None:
        self.origins.install()
        events = self.session.events
        events.operator.append(self._operator)
        events.backward_begins.append(self._backward_begins)
        events.before_step.append(self._before_step)

    def reset(self) -> None:
        for table in (self.layers, self.traces, self.aliases, self.due):
            table.clear()

    def publish(self) -> None:
        for layer in list(self.layers.values()):
            self._publish(layer)

    def _publish(self, layer: Layer) -> None:
        data = layer.entry.data
        data["dead_since"] = histogram(layer.since)
        if layer.activation is not None:
            data["activation"] = {
                **layer.activation.data,
                "dead_since": histogram(layer.activation.since),
                "units": len(layer.activation.since),
                "unit_looks": layer.activation.looks,
            }

    def _backward_begins(self, loss: Any, site: Site | None) -> None:
        self.origins.training_begins()
        self.segment += 1
        self.traces.clear()
        self.aliases.clear()

    # ---- operators of a deep segment

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        if not torch.is_grad_enabled():
            return
        if name in kinds.PRODUCTS:
            first, second = kinds.PRODUCTS[name]
            self._product(name, args, first, second, out, site)
        elif name in kinds.CONVOLUTIONS:
            self._convolution(args, out, site)
        elif name in kinds.RECURRENT:
            self._recurrent(name, args, out, site)
        elif name in kinds.SQUASHES:
            self._activation(name, kinds.SQUASHES[name], args, out, site)
        elif name in kinds.RELUS and kinds.is_relu(name, args, kwargs):
            self._activation(name, "relu", args, out, site)
        else:
            self._passes(name, args, out)

    def _product(self, name: str, args: Any, first: int, second: int, out: Any, site: Site | None) -> None:
        for weight, value, flipped in ((args[second], args[first], False), (args[first], args[second], True)):
            param = self._param(weight)
            if param is None or weight.ndim < 2 or value.ndim < 1:
                continue
            tensor = param.ref()
            if tensor is None or tensor.ndim < 2:
                continue
            # ``x @ w`` has its units along the last dimension of w, ``w @ x`` along the first; the weight may come transposed.
            inner = weight.ndim - 2 if flipped else weight.ndim - 1
            if name == "linear":
                inner = 0
            unit_dim = kinds.dim_in(tensor, weight, inner)
            layer = self._layer(param, unit_dim, site, name)
            if layer is not None:
                if len(args) == 3:
                    layer.bias = self._param(args[0] if name != "linear" else args[2]) or layer.bias
                self._used(layer, value, out, -2 if flipped and name != "mv" else -1, -2 if flipped else -1)
            return

    def _convolution(self, args: Any, out: Any, site: Site | None) -> None:
        param = self._param(args[1])
        if param is None:
            return
        turned = len(args) > 6 and args[6] is True
        layer = self._layer(param, 1 if turned else 0, site, "convolution")
        if layer is not None:
            if len(args) > 2 and isinstance(args[2], torch.Tensor):
                layer.bias = self._param(args[2]) or layer.bias
            self._used(layer, args[0], out, 1, 1)

    def _recurrent(self, name: str, args: Any, out: Any, site: Site | None) -> None:
        """A whole recurrent layer in one operator: its first weight reads the input, its second the state."""
        weights = args[1][:2] if type(args[1]) in (list, tuple) else args[1:3]
        for weight in weights:
            param = self._param(weight)
            layer = self._layer(param, 0, site, name) if param is not None else None
            if layer is not None:
                self._used(layer, args[0], out[0], -1, -1)
        self._drop(out)

    def _param(self, tensor: Any) -> Param | None:
        """The trained parameter that a tensor is, or is a view or a copy in another precision of."""
        if not isinstance(tensor, torch.Tensor):
            return None
        whole = tensor._base if tensor._is_view() and tensor._base is not None else tensor
        if whole.is_leaf and whole.requires_grad:
            found = self.session.params.by_id.get(id(whole))
            return found if found is not None and found.ref() is whole else None
        copy = self.aliases.get(_address(tensor))
        return copy[1] if copy is not None and copy[0]() is not None else None

    def _layer(self, param: Param, unit_dim: int, site: Site | None, op: str) -> Layer | None:
        layer = self.layers.get(param.index)
        if layer is None:
            tensor = param.ref()
            if tensor is None or len(self.layers) >= MAX_LAYERS or not values.readable(tensor):
                return None
            module = param.owner() if param.owner is not None else None
            groups = kinds.groups(module, tensor)
            groups = groups if tensor.shape[unit_dim] % groups == 0 else 1
            entry = self.session.recorder.fact("layer", str(param.index), site, dict)
            layer = self.layers[param.index] = Layer(param, unit_dim, groups, entry)
            origin = self.origins.origin_of(tensor)
            entry.data.update(
                order=len(self.layers) - 1,
                op=op,
                shape=list(tensor.shape),
                units=tensor.shape[unit_dim],
                module=type(module).__name__ if module is not None else None,
                depth=0,
                uses=1,
                sequence=[],
                behind=[],
                looks=[],
                grads=[],
                dead_since={},
                activation=None,
                origin=origin.as_data() if origin is not None else None,
                bias=None,
            )
        return layer

    def _used(self, layer: Layer, value: torch.Tensor, out: Any, in_dim: int, out_dim: int) -> None:
        trace = self._trace(value)
        if trace is not None:
            for activation in trace.activations:
                activation.data["feeds"] = True
        if layer.seen == self.segment:
            layer.uses += 1
            layer.entry.data["uses"] = max(layer.uses, layer.entry.data["uses"])
            if self.segment == 0 and layer.uses & (layer.uses - 1) == 0 and kinds.plain(out):
                self._size_in_sequence(layer, out, out_dim)
        else:
            layer.seen, layer.uses = self.segment, 1
            self._first_use(layer, value, out, in_dim, out_dim)
        self._put(out, layer, out_dim if out_dim > 0 else -1, ())

    def _first_use(self, layer: Layer, value: torch.Tensor, out: torch.Tensor, in_dim: int, out_dim: int) -> None:
        data = layer.entry.data
        flow = self.session.tape.flow_of(value)
        behind = [number for number in self.layers if flow is not None and flow.params >> number & 1 and number != layer.param.index]
        depth = max((self.layers[number].entry.data["depth"] + 1 for number in behind), default=0)
        if depth > data["depth"]:
            data["depth"], data["behind"] = depth, [str(number) for number in behind]
        data["name"] = layer.param.name
        self._describe_bias(layer)
        if len(data["looks"]) >= MAX_LOOKS or not (kinds.plain(value) and kinds.plain(out)):
            return
        step = self.session.recorder.steps
        seen = [reductions.spread(reductions.by_unit(value, in_dim)), reductions.spread(reductions.by_unit(out, out_dim))]

        def use(found: list[list[float]]) -> None:
            data["looks"].append([step, *found[0], *found[1]])
            self.session.recorder.touch(layer.entry)

        values.read_lists_later(self.session.recorder, seen, use)

    def _size_in_sequence(self, layer: Layer, out: torch.Tensor, out_dim: int) -> None:
        """How large the sums of a weight are that is used again and again, at its uses 2, 4, 8, …"""
        use_number = layer.uses

        def use(found: list[list[float]]) -> None:
            layer.entry.data["sequence"].append([use_number, *found[0]])

        values.read_lists_later(self.session.recorder, [reductions.by_unit(out, out_dim).square().mean().sqrt()], use)

    def _describe_bias(self, layer: Layer) -> None:
        bias = layer.bias.ref() if layer.bias is not None else None
        if bias is not None and layer.entry.data["bias"] is None and layer.bias is not None:
            origin = self.origins.origin_of(bias)
            layer.entry.data["bias"] = {"key": str(layer.bias.index), "origin": origin.as_data() if origin is not None else None}

    def _activation(self, name: str, kind: str, args: Any, out: Any, site: Site | None) -> None:
        trace = self._trace(args[0])
        if trace is None or trace.layer is None or not kinds.plain(out) or out.ndim < 2:
            self._drop(out)
            return
        layer = trace.layer
        if layer.activation is None or layer.activation.data["kind"] != kind:
            layer.activation = Activation(name.rstrip("_"), kind, site)
        activation = layer.activation
        self._put(out, None, trace.unit_dim, (activation,))
        looks = activation.data["looks"]
        step = self.session.recorder.steps
        if len(looks) >= MAX_LOOKS or (looks and looks[-1][0] == step):
            return
        if kind == "relu":
            seen = reductions.largest(out, trace.unit_dim)

            def use(found: list[list[float]]) -> None:
                alive = [value > 0 for value in found[0]]
                activation.saw_units(step, alive)
                looks.append([step, len(alive), alive.count(False)])
                self.session.recorder.touch(layer.entry)

        else:
            seen = reductions.slope(out, trace.unit_dim, kind)

            def use(found: list[list[float]]) -> None:
                looks.append([step, *found[0]])
                self.session.recorder.touch(layer.entry)

        values.read_lists_later(self.session.recorder, [seen], use)

    # ---- following values

    def _trace(self, tensor: Any) -> Trace | None:
        if not isinstance(tensor, torch.Tensor):
            return None
        found = self.traces.get(_address(tensor))
        return found if found is not None and found.ref() is not None else None

    def _put(self, out: Any, layer: Layer | None, unit_dim: int, activations: tuple[Activation, ...]) -> None:
        for tensor in out if type(out) in (tuple, list) else (out,):
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                address = _address(tensor)
                if address:
                    self.traces[address] = Trace(weakref.ref(tensor.untyped_storage()), layer, unit_dim, activations)

    def _drop(self, out: Any) -> None:
        if self.traces:
            for tensor in out if type(out) in (tuple, list) else (out,):
                if isinstance(tensor, torch.Tensor):
                    self.traces.pop(_address(tensor), None)

    def _passes(self, name: str, args: Any, out: Any) -> None:
        """An operator that is neither a layer nor an activation: does what is known of its input hold of its output?"""
        if not args:
            return
        if name == "_to_copy" and (param := self._param(args[0])) is not None:
            self.aliases[_address(out)] = (weakref.ref(out.untyped_storage()), param)
            return
        first = args[0][0] if type(args[0]) in (list, tuple) and args[0] else args[0]
        trace = self._trace(first)
        if name in kinds.SHAPES:
            if trace is not None and self._trace(kinds.first(out)) is not trace:
                self._put(out, trace.layer, kinds.moved(trace.unit_dim, name, first, out), trace.activations)
            return
        if name in kinds.NORMS:
            if trace is not None:
                self._put(kinds.first(out), trace.layer, trace.unit_dim, trace.activations)
            return
        layer = trace.layer if trace is not None and name in kinds.SUMS and len(args) > 1 else None
        if layer is not None and trace is not None and self._joins_layer(layer, args[1]):
            self._put(out, layer, trace.unit_dim, ())
            return
        if name in kinds.THINNING and trace is not None and trace.activations:
            others = [a for a in args[1:] if isinstance(a, torch.Tensor)] if name not in ("cat", "stack") else []
            if not any(other.requires_grad or self.session.tape.flow_of(other) is not None for other in others):
                self._put(kinds.first(out), None, trace.unit_dim, trace.activations)
                return
        self._drop(out)

    def _joins_layer(self, layer: Layer, other: Any) -> bool:
        """Whether what is added to a layer's output is its bias, or the output of another layer (as in a recurrent cell)."""
        param = self._param(other)
        if param is not None:
            tensor = param.ref()
            if tensor is not None and tensor.numel() == layer.entry.data["units"]:
                layer.bias = layer.bias or param
                self._describe_bias(layer)
            return True
        trace = self._trace(other)
        return trace is not None and trace.layer is not None

    # ---- gradients

    def _before_step(self, optimizer: Optimizer, watch: OptimizerWatch) -> None:
        steps = watch.steps
        if self.session.probing or self.session.copy or not self.layers:
            return
        if steps not in FIRST_LOOKS and steps < max(self.due.get(watch.key, 0), max(FIRST_LOOKS)):
            return
        self.due[watch.key] = steps + max(1, steps // 2)
        for layer in self.layers.values():
            if layer.param.optimizer == watch.key:
                self._look(layer, steps)

    def _look(self, layer: Layer, step: int) -> None:
        weight = layer.param.ref()
        gradient = weight.grad if weight is not None else None
        data = layer.entry.data
        if weight is None or gradient is None or len(data["grads"]) >= MAX_GRADS or not (kinds.plain(weight) and kinds.plain(gradient)):
            return
        bias = layer.bias.ref() if layer.bias is not None else None
        slope = bias.grad if bias is not None else None
        sampled = reductions.weight_sample(gradient, layer.unit_dim, layer.groups)
        reach = sampled.abs().amax(-1)
        seen = [reductions.unlike(reductions.weight_sample(weight, layer.unit_dim, layer.groups)), reductions.unlike(sampled), reach]
        if slope is not None and kinds.plain(slope) and slope.device == weight.device and slope.numel() == weight.shape[layer.unit_dim]:
            seen.append(reductions.bias_reach(slope, layer.groups))

        def use(found: list[list[float]]) -> None:
            reached = found[3] if len(found) > 3 else found[2]
            alive = [value != 0 for value in reached]
            if len(layer.since) != len(alive):
                layer.since = [None] * len(alive)
            layer.since = [None if lives else (step if known is None else known) for known, lives in zip(layer.since, alive, strict=True)]
            data["grads"].append([step, *found[0], *found[1], len(alive), alive.count(False)])
            self.session.recorder.touch(layer.entry)

        values.read_lists_later(self.session.recorder, seen, use)
