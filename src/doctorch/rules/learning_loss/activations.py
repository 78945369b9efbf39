"""Where in the text the last activation before a loss stands, and edits that take it away: shared by the rules on outputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Edit, Place
from doctorch.records.reader import Fact
from doctorch.rules.shared import site_place
from doctorch.source import edits, flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

MODULES = {
    "sigmoid": "Sigmoid", "softmax": "Softmax", "log_softmax": "LogSoftmax", "relu": "ReLU", "tanh": "Tanh", "softplus": "Softplus",
    "hardsigmoid": "Hardsigmoid", "logsigmoid": "LogSigmoid", "gelu": "GELU", "silu": "SiLU", "clamp": "Hardtanh",
}  # fmt: skip
NAMES = {"clamp": ("clamp", "hardtanh", "relu6"), "sigmoid": ("sigmoid", "expit"), "relu": ("relu", "relu_", "clamp", "clamp_min")}
"""Functions and methods by which an activation is called, where they are not just its name."""
NAMESPACES = ("torch.", "torch.nn.functional.", "torch.special.")


def is_activation(file: SourceFile, node: ast.AST, kind: str) -> bool:
    """Whether an expression applies or constructs that activation: the function, the tensor's method, the module."""
    if not isinstance(node, ast.Call):
        return False
    name = query.qualified(file, node.func) or ""
    if name == f"torch.nn.{MODULES.get(kind, '-')}" or (kind == "clamp" and name == "torch.nn.ReLU6"):
        return True
    known = NAMES.get(kind, (kind,))
    if any(name == f"{space}{one}" for space in NAMESPACES for one in known):
        return True
    return isinstance(node.func, ast.Attribute) and node.func.attr in known and is_method(file, node.func)


def is_method(file: SourceFile, func: ast.Attribute) -> bool:
    """Whether ``x.relu`` is the tensor's method and not ``F.relu`` or ``self.relu``."""
    return not query.is_self_attribute(func) and not (query.qualified(file, func) or "").startswith("torch.")


def on_line(project: Project, file: SourceFile, line: int, kind: str) -> ast.Call | None:
    """The activation of that kind that a line applies or constructs, if it is the only one."""
    found: list[ast.Call] = []
    for call in query.calls_at(file, line):
        module = None if isinstance(call.func, ast.Call) else flow.module_of(project, file, call.func)
        if is_activation(file, call, kind) or (module is not None and is_activation(module.file, module.node, kind)):
            found.append(call)
    return found[0] if len(found) == 1 else None


def place(project: Project, fact: Fact, site: object, kind: str) -> Place | None:
    """The line of the activation: as it was seen where the text there shows one, else as the text around the loss tells, else the only
    one of the text."""
    seen = site_place(site) if isinstance(site, dict) else None
    if seen is not None:
        file = project.file(seen.file)
        if file is not None and on_line(project, file, seen.line, kind) is not None:
            return seen
    file = project.file(fact.file)
    if file is not None and fact.line is not None:
        for made in _behind_call(project, file, fact.line):
            if is_activation(made.file, made.node, kind):
                shown, line = made.shown
                return Place(shown.path, line)
    return only(project, kind) or seen


def _behind_call(project: Project, file: SourceFile, line: int) -> Iterator[flow.Made]:
    for call in query.calls_at(file, line):
        if call.args:
            yield from (made for made in flow.made_by(project, file, call.args[0]) if made is not None)


def only(project: Project, kind: str) -> Place | None:
    """The activation of that kind in the project's text, if there is just one."""
    found = [
        Place(file.path, node.lineno)
        for file in project.files
        for node in file.nodes
        if isinstance(node, ast.expr) and is_activation(file, node, kind)
    ]
    return found[0] if len(found) == 1 else None


def call_at(project: Project, place: Place | None, kind: str) -> tuple[SourceFile, ast.Call] | None:
    """The file and the call of the activation that stands alone on a line."""
    file = project.file(place.file) if place is not None else None
    call = on_line(project, file, place.line, kind) if file is not None and place is not None else None
    return (file, call) if file is not None and call is not None else None


def removed(project: Project, place: Place | None, kind: str, *, safe: bool = False) -> Edit | None:
    """The activation's input in its place, or ``nn.Sequential(…, nn.Sigmoid())`` without its last element."""
    found = call_at(project, place, kind)
    if found is None:
        return None
    file, call = found
    if _is_module(query.qualified(file, call.func) or ""):
        parent = file.parents.get(call)
        if not isinstance(parent, ast.Call) or len(parent.args) < 2 or parent.args[-1] is not call or parent.keywords:
            return None
        return edits.make(file, [edits.remove_last_argument(parent)], safe=False, summary=f"without {file.segment(call)}")
    source = call.func.value if isinstance(call.func, ast.Attribute) and is_method(file, call.func) else query.argument(call, 0, "input")
    return edits.make(file, [edits.replace_node(file, call, "{source}", source=source)], safe=safe) if source is not None else None


def logarithmic(project: Project, place: Place | None) -> Edit | None:
    """``log_softmax`` in place of ``softmax``."""
    found = call_at(project, place, "softmax")
    if found is None or not isinstance(found[1].func, ast.Attribute):
        return None
    file, call = found
    name = {"softmax": "log_softmax", "Softmax": "LogSoftmax"}.get(found[1].func.attr)
    if name is None or query.is_self_attribute(found[1].func):
        return None
    owner = found[1].func.value
    return edits.make(file, [edits.replace_node(file, call.func, "{owner}." + name, owner=owner)], safe=True)


def _is_module(name: str) -> bool:
    return name.startswith("torch.nn.") and not name.startswith("torch.nn.functional.")


def other_dim(project: Project, place: Place | None, kind: str, dim: int) -> Edit | None:
    """The softmax over another dimension."""
    found = call_at(project, place, kind)
    if found is None:
        return None
    file, call = found
    name = query.qualified(file, call.func) or ""
    is_module = _is_module(name)
    method = isinstance(call.func, ast.Attribute) and is_method(file, call.func)
    if not is_module and not method and not name.startswith("torch."):
        return None  # a module that is applied: its dimension stands elsewhere
    place_of_dim = 0 if is_module or method else 1
    given = query.argument(call, place_of_dim, "dim")
    if given is None:
        return edits.make(file, [edits.set_keyword(call, "dim", str(dim))], safe=False)
    return edits.make(file, [edits.replace_node(file, given, str(dim))], safe=False)


def is_loss(project: Project, file: SourceFile, call: ast.Call, function: str, module: str) -> bool:
    """Whether a call is that loss: the function, or a module of that class that is applied."""
    if query.qualified(file, call.func) == function:
        return True
    made = flow.module_of(project, file, call.func)
    return made is not None and isinstance(made.node, ast.Call) and query.qualified(made.file, made.node.func) == module


def fed_by(project: Project, function: str, module: str, kind: str) -> Iterator[tuple[Place, Place]]:
    """Losses in the text whose input is, on every way that the text shows, the result of that activation: its line and that of the loss."""
    for file in project.files:
        for call in file.nodes:
            if isinstance(call, ast.Call) and is_loss(project, file, call, function, module):
                scores = query.argument(call, 0, "input")
                first = made_only_by(project, file, scores, kind) if scores is not None else None
                if first is not None:
                    yield first, Place(file.path, call.lineno)


def made_only_by(project: Project, file: SourceFile, value: ast.expr, kind: str) -> Place | None:
    """Where the value is made, if all ways lead to that activation: the first of them."""
    made = flow.made_by(project, file, value)
    if not made or any(one is None or not is_activation(one.file, one.node, kind) for one in made):
        return None
    assert made[0] is not None
    shown, line = made[0].shown
    return Place(shown.path, line)
