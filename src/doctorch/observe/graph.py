"""The graph behind a loss: which parameters it reaches, of what it is made, and where the path was cut."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.function import BackwardCFunction

from doctorch.observe.deep import Mark
from doctorch.observe.functions import note_function
from doctorch.observe.lines import Site

if TYPE_CHECKING:
    from doctorch.observe.session import Session
    from doctorch.records.writer import Entry

MAX_NODES = 300_000
"""Nodes of a graph walked; a hand-written loop over a batch has tens of thousands."""
MAX_LINES = 60
"""Lines reported of one segment, by number of operators."""

LEAVING = frozenset(("item", "numpy", "detach", "alias_detach"))
"""Cuts after which a value may leave torch and come back unseen: ``detach`` stands before every ``numpy()``."""

SHAPE_NODES = frozenset(
    ("View", "Reshape", "UnsafeView", "Squeeze", "Unsqueeze", "Transpose", "Permute", "T", "Expand", "Slice", "Select", "Index")
    + ("IndexSelect", "Clone", "ToCopy", "Alias", "Flatten", "Contiguous", "Cat", "Stack", "AsStrided", "Split", "MaskedSelect")
)
"""Nodes that move values without changing them."""


class Call:
    """One backward call under observation."""

    __slots__ = ("entry", "deep", "used", "before", "site", "grad_off")

    def __init__(self, entry: Entry, deep: bool, site: Site | None) -> None:
        self.entry = entry
        self.deep = deep
        self.site = site
        self.grad_off = not torch.is_grad_enabled()
        self.used: list[Any] = []
        self.before: list[Any] = []


def begin(session: Session, loss: torch.Tensor | None, site: Site | None, deep: bool, retain: bool) -> Call | None:
    """Before backward. The mode is already off."""
    if loss is None:
        return None
    key = site.key if site is not None else "?"
    entry = session.recorder.fact("backward", key, site, _first)
    entry.count += 1
    data = entry.data
    data["count"] += 1
    requires = loss.requires_grad
    data["requires_grad"] += requires
    data["retain_graph"] += retain
    node = loss.grad_fn
    data["loss_is_leaf"] += node is None
    session.recorder.touch(entry)
    tape = session.tape
    call = Call(entry, deep and tape.count > 0, site)
    session.saw_site(key, call.deep)
    if call.deep:
        data["grad_fn"] = type(node).__name__ if node is not None else None
        data["numel"] = loss.numel()
        _look(session, call, loss)
    return call


def _first() -> dict[str, Any]:
    counts = (
        "count",
        "loss_is_leaf",
        "requires_grad",
        "deep",
        "reached_none",
        "used_max",
        "graph_nodes",
        "retain_graph",
        "failed",
        "got_max",
        "failed_grad_off",
        "independent",
    )
    return {**dict.fromkeys(counts, 0), "reached_min": None, "reached_max": None, "grad_fn": None, "numel": None, "error": None}


def _look(session: Session, call: Call, loss: torch.Tensor) -> None:
    tape, params = session.tape, session.params
    reached, nodes, functions = walk(loss.grad_fn)
    tape.oldest = min(nodes, default=tape.oldest)
    for cls in functions:
        note_function(session, cls)
    by_site: Counter[int] = Counter()
    for seq in nodes:
        site = tape.line_of_seq.get(seq)
        if site is not None:
            by_site[site.id] += 1
    for site_id, number in by_site.items():
        if site_id in tape.lines:
            tape.lines[site_id].nodes = number
    bits = 0
    for tensor in reached:
        param = params.get(tensor)
        if param is not None:
            bits |= 1 << param.index
            param.entry.data["reached"] += 1
            session.recorder.touch(param.entry)
    params.note_moves(tape.used & ~bits)
    call.used = params.members(tape.used | bits)  # the forward of what is reached may have been before an earlier backward
    call.before = [_grad_state(p.ref()) for p in call.used]
    params.used(tape.used, tape.used_grad, tape.used_sites, tape.nograd_sites)
    params.find_holders(tape.used | bits, [root for ref in session.roots.values() if (root := ref.module()) is not None])
    data = call.entry.data
    data["deep"] += 1
    # A fresh leaf made on the way (a value that came back from numpy) is nothing that trains.
    number = sum(param.trains for param in params.members(bits))
    data["reached_none"] += number == 0
    flow = tape.flow_of(loss)
    # The value itself owes nothing to a parameter, and nothing left torch on the way from which it could have been made again.
    data["independent"] += number == 0 and (flow is None or not flow.params) and not any(m.op in LEAVING for m in tape.cuts)
    data["reached_min"] = number if data["reached_min"] is None else min(number, data["reached_min"])
    data["reached_max"] = number if data["reached_max"] is None else max(number, data["reached_max"])
    data["used_max"] = max(data["used_max"], sum(param.trains for param in params.members(tape.used)))
    data["graph_nodes"] = max(data["graph_nodes"], len(nodes))
    data.setdefault("nodes_trace", []).append((session.recorder.steps, len(nodes)))
    _marks(session, loss, number == 0)
    _line_facts(session, len(nodes))


def walk(root: Any) -> tuple[list[torch.Tensor], list[int], set[Any]]:
    """Leaves that the graph reaches, the sequence numbers of its nodes, and the custom autograd functions in it."""
    leaves: list[torch.Tensor] = []
    numbers: list[int] = []
    functions: set[Any] = set()
    if root is None:
        return leaves, numbers, functions
    seen = {root}
    waiting = [root]
    while waiting and len(seen) < MAX_NODES:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaves.append(variable)
            continue
        numbers.append(node._sequence_nr())
        if isinstance(node, BackwardCFunction):
            functions.add(type(node)._forward_cls)  # type: ignore[attr-defined]
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return leaves, numbers, functions


def _marks(session: Session, loss: torch.Tensor, reached_none: bool) -> None:
    tape, recorder = session.tape, session.recorder
    flow = tape.flow_of(loss)
    arrived = (flow.partial | flow.cut) if flow is not None else frozenset()
    # A package that the line calls detaches what it keeps of a loss: that is not where the path ended.
    last = max((m for m in arrived if m.kind == "cut"), key=lambda m: (m.site is not None and not m.site.package, m.order), default=None)
    if reached_none and last is None and tape.cuts:
        last = tape.cuts[-1]  # the value left the world of tensors: .item(), .numpy(), .tolist()
    for mark in tape.marks.values():
        if mark.kind == "broadcast":
            _broadcast_fact(session, mark, mark in arrived)
            continue
        key = f"{mark.op}@{mark.site.key if mark.site else '?'}"
        entry = recorder.fact("graph_cut", key, mark.site, lambda mark=mark: _first_cut(mark))  # type: ignore[misc]
        entry.count += mark.counted
        entry.data["count"] += mark.counted
        entry.data["segments"] += 1
        entry.data["to_loss"] += mark in arrived
        entry.data["last_before_loss"] += reached_none and mark is last
        entry.data["params"] = [str(p.index) for p in session.params.members(mark.params)[:20]]
        recorder.touch(entry)
    _no_grad_facts(session, arrived)


def _first_cut(mark: Mark) -> dict[str, Any]:
    return {"op": mark.op, "count": 0, "segments": 0, "to_loss": 0, "last_before_loss": 0, "params": []}


def _broadcast_fact(session: Session, mark: Mark, to_loss: bool) -> None:
    entry = session.recorder.fact(
        "implicit_broadcast", mark.site.key if mark.site else "?", mark.site, lambda: {"op": mark.op, "count": 0, "to_loss": 0}
    )
    entry.count += mark.counted
    entry.data["count"] += mark.counted
    entry.data["to_loss"] += to_loss
    entry.data["shapes"] = mark.shapes
    session.recorder.touch(entry)


def _no_grad_facts(session: Session, arrived: frozenset[Mark]) -> None:
    """Parameters of an optimizer that were read with grad mode off, by line."""
    tape = session.tape
    by_site: dict[Site, list[Any]] = {}
    for param in session.params.members(tape.used & ~tape.used_grad):
        site = tape.nograd_sites.get(param.index)
        if site is not None and param.optimizer is not None:
            by_site.setdefault(site, []).append(param)
    reached = {mark.site for mark in arrived if mark.op == "no_grad"}
    reached_params = 0
    for mark in arrived:
        if mark.op == "no_grad":
            reached_params |= mark.params
    for site, members in by_site.items():
        entry = session.recorder.fact("no_grad_use", site.key, site, lambda: {"params": [], "n_params": 0, "to_loss": 0, "segments": 0})
        entry.count += 1
        keys = sorted({*entry.data["params"], *(str(p.index) for p in members)}, key=int)
        entry.data.update(params=keys[:200], n_params=len(keys), segments=entry.data["segments"] + 1)
        entry.data["to_loss"] += site in reached or any(reached_params >> p.index & 1 for p in members)
        session.recorder.touch(entry)


def _line_facts(session: Session, nodes: int) -> None:
    tape, recorder = session.tape, session.recorder
    total = recorder.fact("segment", "all", None, lambda: {"segments": 0, "ops": 0.0, "op_ms": 0.0, "nodes": 0.0})
    _mean(total.data, {"ops": tape.count, "op_ms": tape.op_ns / 1e6, "nodes": nodes})
    recorder.touch(total)
    top = sorted(tape.lines.values(), key=lambda line: -line.ops)[:MAX_LINES]
    for line in top:
        entry = recorder.fact(
            "line_ops", line.site.key, line.site, lambda: {"segments": 0, "ops": 0.0, "op_ms": 0.0, "nodes": 0.0, "in_forward": 0.0}
        )
        entry.count += line.ops
        share = line.in_forward / line.ops
        _mean(entry.data, {"ops": line.ops, "op_ms": line.ns / 1e6, "nodes": line.nodes, "in_forward": share})
        entry.data["median_numel"] = _median(line.sizes)
        entry.data["max_numel"] = max(line.largest, entry.data.get("max_numel", 0))
        entry.data["names"] = dict(line.names.most_common(8))
        entry.data["function"] = line.site.function
        recorder.touch(entry)


def _mean(data: dict[str, Any], newest: dict[str, float]) -> None:
    """The first segment holds one-time work, so from the second on it no longer counts."""
    number = data["segments"] = data["segments"] + 1
    weight = max(1, number - 1)
    for name, value in newest.items():
        data[name] = value if number <= 2 else data[name] + (value - data[name]) / weight


def _median(sizes: list[int]) -> int:
    """Upper bound of the median from counts by power of two."""
    half = sum(sizes) / 2
    passed = 0
    for power, number in enumerate(sizes):
        passed += number
        if passed >= half:
            return (1 << power) - 1
    return 0


def _grad_state(tensor: torch.Tensor | None) -> Any:
    if tensor is None or tensor.grad is None:
        return None
    return id(tensor.grad), tensor.grad._version


def end(session: Session, call: Call | None, failure: BaseException | None) -> None:
    """After backward: who got a gradient."""
    if call is None:
        return
    data = call.entry.data
    if failure is not None:
        data["failed"] += 1
        data["failed_grad_off"] += call.grad_off
        try:
            data["error"] = f"{type(failure).__name__}: {failure}"[:500]
        except Exception:
            data["error"] = type(failure).__name__
        session.recorder.touch(call.entry)
    got = 0
    for param, before in zip(call.used, call.before, strict=True):
        tensor = param.ref()
        if tensor is not None and tensor.grad is not None and _grad_state(tensor) != before:
            param.entry.data["got_grad"] += 1
            got += param.trains
            session.recorder.touch(param.entry)
    data["got_max"] = max(data["got_max"], got)


def softmax_behind(tensor: torch.Tensor) -> tuple[str, int] | None:
    """The kind and sequence number of a softmax, log-softmax or sigmoid right behind a tensor, through shape operators only."""
    node: Any = tensor.grad_fn
    for _ in range(12):
        if node is None:
            return None
        name = type(node).__name__
        bare = name.split("Backward")[0]
        if bare in ("Softmax", "SoftmaxBackwardData"):
            return "softmax", node._sequence_nr()
        if bare == "LogSoftmax":
            return "log_softmax", node._sequence_nr()
        if bare == "Sigmoid":
            return "sigmoid", node._sequence_nr()
        if bare not in SHAPE_NODES or not node.next_functions:
            return None
        node = node.next_functions[0][0]
    return None
