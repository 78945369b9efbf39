"""The deep look: every operator of one forward pass, with its line, and how values flow from parameters to the loss.

A dispatch mode is active over the forward only. It ends before backward, since backward formulas take other (subclass
safe) variants under a mode and would differ in the last bit. It passes every operator through unchanged and keeps no
tensor: only addresses of storages with weak references to tell reuse.
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from doctorch.observe import indices, lines
from doctorch.observe.events import Handlers
from doctorch.observe.lines import Site
from doctorch.observe.recorder import Recorder, now

if TYPE_CHECKING:
    from doctorch.observe.params import ParamTable

MAX_OPS = 60_000
"""Operators recorded in one segment; beyond it they pass through unrecorded. A loop over elements shows long before."""
MAX_MARKS = 16
"""Cuts and broadcasts carried by one value."""
MODE_NS = 7_000
"""Time that a mode adds to an operator outside our own code: measured 5 to 8 µs (entering Python from the dispatcher)."""

NO_VALUE = frozenset(
    ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "randint_like", "full_like", "new_zeros", "new_ones")
    + ("new_empty", "new_full", "new_empty_strided", "empty_strided", "sym_size", "sym_numel", "sym_stride", "is_same_size")
)
"""Operators whose result depends on the input's shape only."""
PROFILER = frozenset(("_record_function_enter", "_record_function_enter_new", "_record_function_exit"))
ARITHMETIC = frozenset(("add", "sub", "rsub", "mul", "div", "add_", "sub_", "mul_", "div_"))


class Mark:
    """Something that happened to a value on its way: a cut of the graph, or an unmeant broadcast."""

    __slots__ = ("kind", "op", "site", "params", "shapes", "order", "counted")

    def __init__(self, kind: str, op: str, site: Site | None) -> None:
        self.kind = kind
        self.op = op
        self.site = site
        self.params = 0
        self.shapes: list[list[int]] = []
        self.order = 0
        self.counted = 0


class Flow:
    """What is known of the value in a storage. ``partial`` holds for every reader, ``cut`` only for those that do not require grad."""

    __slots__ = ("ref", "params", "partial", "cut")

    def __init__(self, ref: weakref.ref[Any], params: int, partial: frozenset[Mark], cut: frozenset[Mark]) -> None:
        self.ref = ref
        self.params = params
        self.partial = partial
        self.cut = cut


class LineOps:
    """Operators of one user line in the current segment."""

    __slots__ = ("site", "ops", "ns", "sizes", "names", "in_forward", "nodes", "largest")

    def __init__(self, site: Site) -> None:
        self.site = site
        self.ops = 0
        self.ns = 0
        self.sizes = [0] * 48
        self.names: Counter[str] = Counter()
        self.in_forward = 0
        self.nodes = 0
        self.largest = 0


NONE: frozenset[Mark] = frozenset()


class Tape(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The mode. One object per process; :meth:`clear` begins a segment."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first operator imports torch._dynamo, seconds and 100 MiB

    def __init__(self, recorder: Recorder, params: ParamTable) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.recorder = recorder
        self.params = params
        self.in_forward = False
        self.muted = False
        """Operators are those of observers: they pass unseen."""
        self.on_operator: Handlers = []
        self.clear()

    def clear(self) -> None:
        """Forget the last segment."""
        self.off = False
        self.count = 0
        self.call: tuple[int, int] = (0, 0)
        self.op_ns = 0
        self.spent = 0
        self.flows: dict[int, Flow] = {}
        self.lines: dict[int, LineOps] = {}
        self.line_of_seq: dict[int, Site] = {}
        self.marks: dict[tuple[str, str, int], Mark] = {}
        self.cuts: list[Mark] = []
        self.used = 0
        self.used_grad = 0
        self.used_sites: dict[int, Site] = {}
        self.nograd_sites: dict[int, Site] = {}
        self.seq: int = torch._C._autograd._get_sequence_nr()
        self.began = self.seq
        """Number of the first node that this segment can make."""
        self.oldest = sys.maxsize
        """Lowest number of a node in the graph that the segment's backward runs through."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.off or self.muted:
            return func(*args, **(kwargs or {}))
        began = now()
        try:
            out = func(*args, **kwargs) if kwargs else func(*args)
        except Exception:
            try:
                indices.operator_failed(self.recorder, func, args, kwargs or {})
            except Exception:
                self.recorder.failed()
            raise
        done = now()
        try:
            self._note(func, args, kwargs, out, done - began)
        except Exception:
            self.off = True
            self.recorder.failed()
        self.spent += now() - done
        return out

    # ---- one operator

    def _note(self, func: Any, args: Any, kwargs: Any, out: Any, ns: int) -> None:
        packet = getattr(func, "_overloadpacket", None)
        name = packet.__name__ if packet is not None else str(getattr(func, "__name__", func))
        if name in PROFILER:
            return
        caller = sys._getframe(2)
        call = (id(caller), caller.f_lasti)
        if name == "detach" and call == self.call:
            return  # autograd's own, of an output that it saves: the same Python call as the operator before
        self.call = call
        self.count += 1
        if self.count > MAX_OPS:
            self.off = True
            self.recorder.note(f"more than {MAX_OPS} operators in one step: the rest of it was not looked at one by one")
            return
        frame = lines.user_frame(caller)
        site = lines.site_of(frame) if frame is not None else None
        seq = torch._C._autograd._get_sequence_nr()
        if seq != self.seq:
            if site is not None:
                self.line_of_seq[seq - 1] = site
            self.seq = seq
        self.op_ns += ns
        if site is not None:
            self._count(site, name, out, ns)
        if name not in NO_VALUE:
            self._flow(name, site, args, kwargs, out)
        for handler in self.on_operator:
            try:
                handler(name, args, kwargs, out, site)
            except Exception:
                self.recorder.failed()

    def leaves(self, name: str, tensor: torch.Tensor, frame: FrameType) -> None:
        """A value leaves torch through a method that calls no operator: ``tolist``."""
        if not (self.off or self.muted):
            user = lines.user_frame(frame)
            self._flow(name, lines.site_of(user) if user is not None else None, (tensor,), None, None)

    def _count(self, site: Site, name: str, out: Any, ns: int) -> None:
        line = self.lines.get(site.id)
        if line is None:
            line = self.lines[site.id] = LineOps(site)
        line.ops += 1
        line.ns += ns
        line.in_forward += self.in_forward
        first = out[0] if type(out) in (tuple, list) and out else out
        numel = first.numel() if isinstance(first, torch.Tensor) else 1
        line.sizes[numel.bit_length()] += 1
        if numel > line.largest:
            line.largest = numel
        line.names[name] += 1

    def _flow(self, name: str, site: Site | None, args: Any, kwargs: Any, out: Any) -> None:
        grad_mode = torch.is_grad_enabled()
        live = False
        params = 0
        partial: frozenset[Mark] = NONE
        cut: frozenset[Mark] = NONE
        live_storages: set[int] = set()
        inputs = _tensors(args)
        if kwargs:
            inputs += _tensors(tuple(kwargs.values()))
        for tensor in inputs:
            requires = tensor.requires_grad
            address = _address(tensor)
            flow = self.flows.get(address)
            if flow is not None and flow.ref() is None:
                del self.flows[address]
                flow = None
            if requires:
                live = True
                live_storages.add(address)
                if tensor.is_leaf:
                    params |= self._use(tensor, grad_mode, site)
            if flow is not None:
                params |= flow.params
                if flow.partial:
                    partial |= flow.partial
                # What was made without a graph and then asked to require a gradient begins a new one.
                if flow.cut and (not requires or tensor.is_leaf):
                    cut |= flow.cut
        if not params:
            return
        outputs = _tensors(out if type(out) in (tuple, list) else (out,))
        ended = live and (not grad_mode or name in ("detach", "alias_detach") or _all_discrete(outputs, out))
        if ended:
            mark = self._mark("cut", "no_grad" if not grad_mode else _cut_name(name), site)
            mark.params |= params
            cut = cut | {mark}
        elif live and cut:
            partial, cut = partial | cut, NONE
        if name in ARITHMETIC and len(inputs) == 2 and outputs:
            broadcast = self._broadcast(name, site, inputs, outputs[0])
            if broadcast is not None:
                partial = partial | {broadcast}
        if len(partial) > MAX_MARKS or len(cut) > MAX_MARKS:
            partial, cut = _latest(partial), _latest(cut)
        for tensor in outputs:
            self._store(tensor, params, partial, cut)

    def _store(self, tensor: torch.Tensor, params: int, partial: frozenset[Mark], cut: frozenset[Mark]) -> None:
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            return
        address = storage._cdata
        flow = self.flows.get(address)
        if flow is None or flow.ref() is None:
            self.flows[address] = Flow(weakref.ref(storage), params, partial, cut)
        else:  # a view of an input, or written in place
            flow.params |= params
            flow.partial |= partial
            flow.cut |= cut

    def _use(self, tensor: torch.Tensor, grad_mode: bool, site: Site | None) -> int:
        if tensor._is_view() and tensor._base is not None:  # a view made with grad mode off counts as a leaf
            tensor = tensor._base
            if not (tensor.is_leaf and tensor.requires_grad):
                return 0
        param = self.params.get(tensor)
        if param is None:
            return 0
        bit = 1 << param.index
        self.used |= bit
        if grad_mode:
            self.used_grad |= bit
        if site is not None:
            (self.used_sites if grad_mode else self.nograd_sites)[param.index] = site
        return bit

    def _mark(self, kind: str, op: str, site: Site | None) -> Mark:
        key = (kind, op, site.id if site is not None else -1)
        mark = self.marks.get(key)
        if mark is None:
            mark = self.marks[key] = Mark(kind, op, site)
        mark.order = self.count
        mark.counted += 1
        if kind == "cut":
            if self.cuts and self.cuts[-1] is mark:
                return mark
            self.cuts.append(mark)
        return mark

    def _broadcast(self, name: str, site: Site | None, inputs: list[torch.Tensor], out: torch.Tensor) -> Mark | None:
        one, two = inputs
        if one.ndim == two.ndim or out.numel() <= max(one.numel(), two.numel()):
            return None
        if [n for n in one.shape if n != 1] != [n for n in two.shape if n != 1]:
            return None
        depends = [t.requires_grad or self._known(t) for t in (one, two)]
        if depends[0] == depends[1]:
            return None
        mark = self._mark("broadcast", name, site)
        mark.shapes = [list(one.shape), list(two.shape), list(out.shape)]
        return mark

    def _known(self, tensor: torch.Tensor) -> bool:
        flow = self.flows.get(_address(tensor))
        return flow is not None and flow.ref() is not None

    def flow_of(self, tensor: torch.Tensor) -> Flow | None:
        """What is known of a value, None when it depends on no parameter."""
        flow = self.flows.get(_address(tensor))
        return flow if flow is not None and flow.ref() is not None else None


def _address(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):  # sparse, wrapped by a function transform: no storage of its own
        return 0


def _tensors(values: Any) -> list[torch.Tensor]:
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif type(value) in (list, tuple):
            found.extend(v for v in value if isinstance(v, torch.Tensor))
    return found


def _all_discrete(outputs: list[torch.Tensor], out: Any) -> bool:
    """No output can carry a gradient: integers, booleans, or a Python number."""
    return not any(t.dtype.is_floating_point or t.dtype.is_complex for t in outputs) if outputs else not isinstance(out, torch.Tensor)


def _cut_name(name: str) -> str:
    return {"_local_scalar_dense": "item", "_to_copy": "round-to-int", "to": "round-to-int"}.get(name, name)


def _latest(marks: frozenset[Mark]) -> frozenset[Mark]:
    return frozenset(sorted(marks, key=lambda m: -m.order)[:MAX_MARKS])
