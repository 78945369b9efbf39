"""What an optimizer did: with which gradients it stepped, what was left over, what was cleared too early."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from doctorch.observe import values
from doctorch.observe.lines import Site
from doctorch.observe.session import Session

SAMPLED_GRADS = 3
"""Parameters of an optimizer whose gradient is looked at by identity and version on every step (0.2 µs each)."""
FIRST_GRADS = 4
"""Of the first parameters, which a gradient reaches last, the smallest is looked at on every step."""
MAX_CHECKED = 10_000
"""Elements of a gradient up to which it is read for that: a microsecond more."""
FEW = 4
"""Parameters without a gradient so far that are looked at on a light step."""
VALUE_CHECKS = 4
"""Times a left-over gradient is read to see that it is not zero."""


class OptimizerWatch:
    """What an optimizer did. Holds weak references only."""

    def __init__(self, session: Session, optimizer: Optimizer, key: str, site: Site | None) -> None:
        self.session = session
        self.ref = weakref.ref(optimizer)
        self.key = key
        self.entry = session.recorder.fact("optimizer", key, site, lambda: self._first_data(optimizer))
        self.sample: list[weakref.ref[torch.Tensor]] = []
        self.seen: list[Any] = []
        self.kept = False
        """Gradients of the last step are still there."""
        self.stale = False
        self.written = False
        self.cleared_after_write = False
        self.value_checks = 0
        self.zero_checks = 0
        self.zeroed = False
        self.wrote_nonzero = False
        """The gradients are set to zero in place between backward and step, by whatever call."""
        self.blind = False
        """The gradients are zeroed through ``.data``, which leaves no version behind: only values tell."""
        self.n_params = -1
        self.steps = 0
        self.without_grad: list[weakref.ref[torch.Tensor]] = []
        """Parameters that had no gradient at any step so far."""
        self.tiny: weakref.ref[torch.Tensor] | None = None
        """The smallest of the first parameters on the CPU: what is no number on its way down from the loss ends there."""
        self.last_rate: float | None = None
        """The learning rate as it was last noted."""
        self.foreign = False
        """It steps in a thread that is not observed."""
        self.followed = False
        """Whether the gradients were looked at right after the last step, so that what is left of them can be told."""

    def _first_data(self, optimizer: Optimizer) -> dict[str, Any]:
        counters = ("steps", "zero_grads", "backwards", "stale_steps", "stale_checked", "stale_nonzero", "cleared_steps", "cleared_checked")
        data: dict[str, Any] = dict.fromkeys((*counters, "empty_steps", "grad_steps", "cleared_backwards"), 0)
        data.update(cls=type(optimizer).__name__, groups=[], n_params=0, numel=0)
        data.update(dict.fromkeys(("step_site", "zero_site", "backward_site", "cleared_site")))
        return data

    def describe(self) -> None:
        """Groups and rates, as they are now; parameters are attached to the optimizer when their number changed."""
        optimizer = self.ref()
        if optimizer is None:
            return
        groups = []
        tensors: list[torch.Tensor] = []
        for group in optimizer.param_groups:
            members = group["params"]
            tensors.extend(members)
            rate, decay = group.get("lr"), group.get("weight_decay")
            groups.append(
                {
                    "lr": float(rate) if isinstance(rate, (int, float)) else None,
                    "weight_decay": float(decay) if isinstance(decay, (int, float)) else None,
                    "maximize": bool(group.get("maximize")),
                    "momentum": group.get("momentum") if isinstance(group.get("momentum"), float) else None,
                    "n_params": len(members),
                    "numel": sum(p.numel() for p in members),
                }
            )
        if "built_lr" not in self.entry.data:
            self.entry.data["built_lr"] = [group["lr"] for group in groups]
        self.entry.data.update(groups=groups, n_params=len(tensors), numel=sum(g["numel"] for g in groups))
        self.n_params = len(tensors)
        self.session.params.set_optimizer(tensors, self.key)
        self.without_grad = [weakref.ref(p) for p in tensors if not self.session.params.had_grad(p)]

    def rates(self) -> list[float | None]:
        """The learning rate of each group now; None where it is no number."""
        optimizer = self.ref()
        groups = optimizer.param_groups if optimizer is not None else ()
        return [float(rate) if isinstance(rate := group.get("lr"), (int, float)) else None for group in groups]

    def note_grads(self) -> None:
        """Before a step: which parameters come to it with a gradient for the first time? Nothing to do once all have."""
        waiting = self.without_grad
        if not self.session.full:
            # A few on every step: a part may learn only now and then. When one has a gradient, all are looked at.
            some = waiting[:FEW]
            if not any((p := ref()) is not None and p.grad is not None for ref in some):
                self.without_grad = waiting[FEW:] + some
                return
        still = []
        for ref in waiting:
            tensor = ref()
            if tensor is not None and tensor.grad is not None:
                self.session.params.got_grad(tensor)
            elif tensor is not None:
                still.append(ref)
        self.without_grad = still

    def grads(self) -> list[Any]:
        """Identity and version of each sampled gradient; None where there is none.

        torch keeps the Python object of a tensor as long as the tensor lives, so the id tells the tensor.
        """
        state: list[Any] = []
        for ref in self.sample:
            tensor = ref()
            grad = tensor.grad if tensor is not None else None
            state.append(None if grad is None else (id(grad), grad._version))
        return state

    def has_grads(self) -> bool:
        """Whether any sampled parameter has a gradient now."""
        for ref in self.sample:
            tensor = ref()
            if tensor is not None and tensor.grad is not None:
                return True
        return False

    def choose_sample(self) -> None:
        """Pick parameters that do receive gradients, spread over the groups."""
        optimizer = self.ref()
        if optimizer is None:
            return
        with_grad = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if with_grad:
            stride = max(1, len(with_grad) // SAMPLED_GRADS)
            self.sample = [weakref.ref(p) for p in with_grad[::stride][:SAMPLED_GRADS]]
            small = [p for p in with_grad[:FIRST_GRADS] if _plain(p) and _plain(p.grad)]
            if small:
                self.tiny = weakref.ref(min(small, key=torch.Tensor.numel))

    def sound(self) -> bool:
        """Whether the sampled small gradient is finite, on followed steps also others: about three microseconds each."""
        if self.session.light and self.tiny is not None:  # what kind of tensor it is was seen on a followed step
            tensor = self.tiny()
            if tensor is None or tensor.grad is None:
                return True
            total = _item(tensor.grad.sum())
            if total - total == 0.0:
                return True
            self.tiny = None
            return False
        for ref in (self.tiny, *self.sample):
            tensor = ref() if ref is not None else None
            grad = tensor.grad if tensor is not None else None
            if grad is None or grad.numel() > MAX_CHECKED or not _plain(grad):
                continue
            total = float(values.item(grad.sum()))
            if total - total != 0.0:
                self.tiny = None  # once
                return False
        return True

    # ---- events

    def backward_begins(self) -> list[Any]:
        """Before a backward: are the gradients of the last step still there?"""
        state = self.grads()
        if self.kept and (state != self.seen or not any(state)):
            self.kept = False
        elif self.kept and not self.stale:
            if self.value_checks < VALUE_CHECKS:
                self.value_checks += 1
                self._read_left_over()
            if self.kept:
                self.stale = True
        self.seen = state
        return state

    def _read_left_over(self) -> None:
        def use(found: list[float]) -> None:
            if found[0] != 0:  # NaN counts as left over
                self.entry.data["stale_nonzero"] += 1
            else:
                self.blind = True
                self.kept = self.stale = False

        self._largest_grad(use)

    def _largest_grad(self, use: Callable[[list[float]], None]) -> None:
        """Give ``use`` the largest absolute value of the sampled gradients: at once on the CPU, some steps later on a device."""
        grads = [t.grad for ref in self.sample if (t := ref()) is not None and t.grad is not None]
        if not grads:
            return
        with torch.no_grad():
            each = [g.detach().abs().max().float().reshape(()) for g in grads if g.layout is torch.strided and g.numel()]
            if not each:
                return
            largest = torch.stack(each).max()
        values.read_later(self.session.recorder, [largest], use)

    def backward_ended(self, before: list[Any], site: Site | None) -> None:
        """After a backward: did it write into our parameters?"""
        if not self.sample:
            self.choose_sample()
            after = self.grads()
            wrote = any(after)
        else:
            after = self.grads()
            wrote = after != before
        if wrote and self.zeroed and not self.wrote_nonzero:
            self._largest_grad(self._saw_written)
        if wrote:
            data = self.entry.data
            data["backwards"] += 1
            self.written = True
            self.cleared_after_write = False
            if site is not None and data["backward_site"] is not site.as_data:
                data["backward_site"] = site.as_data
            self.session.recorder.touch(self.entry)
        self.seen = after

    def _saw_written(self, found: list[float]) -> None:
        self.wrote_nonzero = found[0] != 0

    def cleared(self, site: Site | None) -> None:
        """A call cleared our gradients."""
        data = self.entry.data
        data["zero_grads"] += 1
        if site is not None:
            data["zero_site"] = site.as_data
        self.kept = self.stale = False
        if self.written:
            data["cleared_backwards"] += 1
            self.cleared_after_write = True
            if site is not None:
                data["cleared_site"] = site.as_data
        self.session.recorder.touch(self.entry)

    def step_begins(self) -> None:
        """Before the step: with which gradients is it made?"""
        data = self.entry.data
        optimizer = self.ref()
        if optimizer is None:
            return
        number = 0
        for group in optimizer.param_groups:
            number += len(group["params"])
        if number != self.n_params:
            self.describe()
        if self.blind:
            pass
        elif self.written and self.followed:
            data["stale_checked"] += 1
            if self.stale and self.kept:
                data["stale_steps"] += 1
        present = self.has_grads() or (not self.sample and self._any_grad(optimizer))
        touched = present and self.written and self.grads() != self.seen
        if self.written:
            data["cleared_checked"] += 1
            if self.cleared_after_write:
                data["cleared_steps"] += 1
        data["grad_steps" if present else "empty_steps"] += 1
        if touched and (self.zeroed or self.zero_checks < VALUE_CHECKS):
            # Changed in place since backward: clipped, unscaled, or set to zero. Values tell.
            self.zero_checks += 1
            self._zeroed_in_place(self.cleared_after_write)

    def _zeroed_in_place(self, counted: bool) -> None:
        data = self.entry.data

        def use(found: list[float]) -> None:
            self.zeroed = found[0] == 0
            if self.zeroed and not counted and not self.wrote_nonzero:
                return  # dead units give zeros too: first see that backward writes something else
            if self.zeroed:
                data["empty_steps"] += 1
                data["grad_steps"] -= 1
                data["cleared_steps"] += not counted
            elif counted:
                data["cleared_steps"] -= 1  # something called zero_grad, but what backward wrote is still there
            self.session.recorder.touch(self.entry)

        self._largest_grad(use)

    def _any_grad(self, optimizer: Optimizer) -> bool:
        return any(p.grad is not None for group in optimizer.param_groups for p in group["params"])

    def step_ended(self, site: Site | None) -> None:
        """After the step."""
        self.steps += 1
        if site is not None:
            self.entry.data["step_site"] = site.as_data
        self.written = self.stale = self.cleared_after_write = self.kept = False
        # In a turn with several optimizers the next step of this one may lie in a turn that is followed when this is not.
        self.followed = self.session.full
        if self.followed:
            if not self.sample:
                self.choose_sample()
            self.seen = self.grads()
            self.kept = not self.blind and any(self.seen)

    def publish(self) -> None:
        """On the writer thread: the number of steps into the fact."""
        if self.entry.data["steps"] != self.steps:
            self.entry.data["steps"] = self.entry.count = self.steps
            self.session.recorder.touch(self.entry)


_item = values.item


def _plain(tensor: torch.Tensor | None) -> bool:
    """Whether a tensor lies on the CPU as numbers one after the other, and can be read."""
    return (
        tensor is not None and tensor.is_cpu and tensor.layout is torch.strided and tensor.is_floating_point() and values.readable(tensor)
    )
