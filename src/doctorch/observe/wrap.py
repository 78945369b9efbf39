"""Putting a wrapper where the original was, and keeping torch.compile away from our own frames."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any


def put(owner: Any, name: str, function: Any) -> None:
    """Replace an attribute of a module or class of torch's. Its type cannot be checked: a wrapper takes whatever comes."""
    setattr(owner, name, function)


def hide_from_dynamo() -> None:
    """Our frames that run eagerly inside a compiled region (after a graph break) are not to be compiled or counted.

    What dynamo traces through is not touched by this: wrappers step aside by themselves while it traces.
    """
    from torch._C._dynamo import eval_frame

    skip: Any = getattr(eval_frame, "skip_code", None)
    if skip is None:
        strategy = eval_frame._FrameExecStrategy(eval_frame._FrameAction.SKIP, eval_frame._FrameAction.DEFAULT)

        def skip(code: CodeType) -> None:
            eval_frame.set_code_exec_strategy(code, strategy)

    for name, module in list(sys.modules.items()):
        if name.startswith(("doctorch.observe", "doctorch.records")):
            for code in _codes_of(module):
                skip(code)


def _codes_of(module: Any) -> list[CodeType]:
    found: dict[int, CodeType] = {}
    for value in list(vars(module).values()):
        members = list(vars(value).values()) if isinstance(value, type) else [value]
        for member in members:
            function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
            if isinstance(function, FunctionType):
                _add(function.__code__, found)
    return list(found.values())


def _add(code: CodeType, found: dict[int, CodeType]) -> None:
    """A code object and those of the functions defined inside it: the wrappers."""
    if id(code) not in found and code.co_filename.find("doctorch") >= 0:
        found[id(code)] = code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                _add(constant, found)
