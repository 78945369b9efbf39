"""Custom autograd functions in a graph, and operators that change a tensor in place."""

from __future__ import annotations

import inspect
import weakref
from typing import Any

import torch

from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, absolute, is_user_file, place
from doctorch.observe.session import Session

MAX_INPLACE = 200
MAX_CHANGES = 256
"""Changes of a tensor at one line told of a segment."""
MAX_SAVERS = 20_000
"""Nodes of the graph of a failed backward that are asked what they saved."""
IN_PLACE = "modified by an inplace operation"
"""What a node says whose saved tensor was changed."""


def note_function(session: Session, cls: Any) -> None:
    """A custom autograd function was found in a graph. Its backward is checked in a copy of the process (``doctorch.probes``)."""
    backward = getattr(cls, "backward", None)
    code = getattr(inspect.unwrap(backward), "__code__", None) if backward is not None else None
    if code is None or not is_user_file(code.co_filename):
        return
    site = place(absolute(code.co_filename), code.co_firstlineno, cls.__name__)
    entry = session.recorder.fact("function", f"{cls.__name__}@{site.key}", site, lambda: {"cls": cls.__name__})
    entry.count += 1
    session.recorder.touch(entry)


class InplaceWatcher(Watcher):
    """Which values were changed in place in the forward, what had made them, and which operator a failing backward had saved them for."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.made: dict[int, tuple[weakref.ref[Any], str, Site | None]] = {}

    def install(self) -> None:
        self.session.events.operator.append(self._operator)
        self.session.events.backward_ended.append(self._backward_ended)

    def reset(self) -> None:
        self.made.clear()

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        first = args[0] if args and isinstance(args[0], torch.Tensor) else None
        if any(isinstance(one, torch.Tensor) and one.layout is not torch.strided for one in (first, out)):
            return  # sparse: no storage of its own
        if name.endswith("_") and not name.startswith("_") and first is not None:
            self._changed(name, first, site)
        elif isinstance(out, torch.Tensor):
            storage = out.untyped_storage()
            if storage._cdata not in self.made or self.made[storage._cdata][0]() is None:
                self.made[storage._cdata] = (weakref.ref(storage), name, site)

    def _changed(self, name: str, tensor: torch.Tensor, site: Site | None) -> None:
        recorder = self.session.recorder
        # An inference tensor has no version, and no backward that could need it.
        if site is None or tensor.is_inference() or recorder.number_of("inplace") > MAX_INPLACE:
            return
        origin = self.made.get(tensor.untyped_storage()._cdata)
        made = origin if origin is not None and origin[0]() is not None else None
        entry = recorder.fact("inplace", f"{name}@{site.key}/{list(tensor.shape)}", site, lambda: {"op": name, "shape": list(tensor.shape)})
        entry.count += 1
        data = entry.data
        data["made_by"] = made[1] if made is not None else None
        data["made_site"] = made[2].as_data if made is not None and made[2] is not None else None
        if data.get("segment") != self.session.segments:
            data.update(segment=self.session.segments, changes=[])
        if len(data["changes"]) < MAX_CHANGES:
            data["changes"].append([tensor._version, torch._C._autograd._get_sequence_nr()])
        recorder.touch(entry)

    def _backward_ended(self, loss: Any, site: Site | None, failure: BaseException | None) -> None:
        self.made.clear()
        if failure is not None and loss is not None and IN_PLACE in str(failure):
            self._find_saver(loss.grad_fn)

    def _find_saver(self, root: Any) -> None:
        """The operators whose saved tensors were changed: those that refuse to give them back."""
        tape, recorder = self.session.tape, self.session.recorder
        seen, waiting = {root}, [root]
        while waiting and len(seen) < MAX_SAVERS:
            node = waiting.pop()
            name = next((name for name in dir(node) if name.startswith("_saved_") and _refuses(node, name)), None)
            if name is not None:
                number = node._sequence_nr()
                # An operator that works in place makes two nodes, of which the second has a line.
                lines = tape.line_of_seq if self.session.deep else {}
                line = lines.get(number) or lines.get(number + 1)
                entry = recorder.fact("inplace_saver", f"{number}", line)
                entry.data.update(
                    node=type(node).__name__, number=number, saved=name.removeprefix("_saved_"), segment=self.session.segments
                )
                recorder.touch(entry)
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)


def _refuses(node: Any, name: str) -> bool:
    try:
        getattr(node, name)
    except RuntimeError as error:
        return IN_PLACE in str(error)
    except Exception:
        return False
    return False
