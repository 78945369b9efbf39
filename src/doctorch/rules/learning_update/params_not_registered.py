"""params-not-registered: tensors that should learn are kept where ``parameters()`` does not look."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from doctorch.analysis import tensors
from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

EXPLAINS = ("optimizer-missing-params", "loss-plateau", "lr-too-low")
CONTAINERS = frozenset({"list", "dict", "tuple"})
FIXES = {"list": "module-list", "tuple": "module-list", "dict": "module-dict", "object": "submodule"}


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        groups: dict[tuple[str, str, str, str], list[Fact]] = defaultdict(list)
        for param in tensors.parameters(process):
            holder = param.get("holder")
            if holder and not param.get("registered") and not tensors.in_optimizer(param) and _learns(process, param):
                groups[str(holder.get("cls")), str(holder.get("attr")), str(holder.get("kind")), str(holder.get("file"))].append(param)
        for (cls, attribute, kind, _), params in groups.items():
            yield _finding(project_of(run), params, cls, attribute, kind)
        yield from _by_source(project_of(run), process)


def _by_source(project: Project, process: Process) -> Iterator[Finding]:
    """Tensors that the module tree does not lead to: the text at the line that uses them names the attribute that holds them."""
    groups: dict[Holder, list[Fact]] = defaultdict(list)
    for param in tensors.parameters(process):
        free = not param.get("registered") and not param.get("holder") and not tensors.in_optimizer(param)
        if free and _learns(process, param) and int(param.get("used_grad") or 0) >= 2:
            site = site_place(param.get("used_site"))
            file = project.file(site.file) if site is not None else None
            if file is None or site is None:
                continue
            for holder in holders_at(project, file, site.line, modules=bool(param.get("is_parameter"))):
                groups[holder].append(param)
    for holder, params in groups.items():
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="tensor",
            values={
                "cls": holder.cls,
                "attribute": holder.attribute,
                "kind": "object",
                "tensors": len(params),
                "numel": tensors.numel(params),
            },
            place=holder.place,
            related=related(site_place(params[0].get("used_site"))),
            why="unknown",
            fix="submodule" if holder.is_object else "parameter",
            explains=EXPLAINS,
            confidence=0.95,
            ground="graph",
        )


def _learns(process: Process, param: Fact) -> bool:
    """Whether a tensor takes part in training: it is read with gradients on, in more than one step where more than one was looked at
    (an input that requires grad is a new tensor each step), and backward reaches it."""
    seen = int(param.get("used_grad") or 0)
    looked_at = int(process.meta.get("deep_segments") or 1)
    return bool(param.get("reached")) and seen >= min(2, looked_at)


@dataclass(frozen=True)
class Holder:
    """An attribute of a Module class whose value holds what ``parameters()`` does not find."""

    cls: str
    attribute: str
    place: Place
    is_object: bool
    """True: an object that is no Module; False: a plain tensor."""


def holders_at(project: Project, file: SourceFile, line: int, modules: bool) -> list[Holder]:
    """The attributes that the text of a line of a class uses and that hold unregistered tensors.

    Of a Module: ``self.w`` made with ``requires_grad=True``. Of a class that is no Module (``modules`` True): the attribute of the
    Module that keeps an object of the class.
    """
    cls = next((node for node in query.enclosing(file, line) if isinstance(node, ast.ClassDef)), None)
    if cls is None:
        return []
    if _is_module_class(file, cls):
        if modules:
            return []
        statement = query.statement_at(file, line)
        used = (
            {node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute) and query.is_self_attribute(node)}
            if statement
            else set()
        )
        found = [(name, one) for name in sorted(used) for one in query.attribute_assignments(cls, name)]
        return [Holder(cls.name, name, Place(file.path, one.lineno), False) for name, one in found if _requires_grad(one.value)]
    if not modules:
        return []
    found_objects: list[Holder] = []
    for other in project.connected(file):
        for owner in query.classes(other).values():
            if not _is_module_class(other, owner):
                continue
            for node in ast.walk(owner):
                if (
                    isinstance(node, ast.Assign)
                    and isinstance(node.value, ast.Call)
                    and (query.dotted(node.value.func) or "").rpartition(".")[2] == cls.name
                ):
                    found_objects.extend(
                        Holder(owner.name, target.attr, Place(other.path, node.lineno), True)
                        for target in node.targets
                        if isinstance(target, ast.Attribute) and query.is_self_attribute(target)
                    )
    return found_objects


def _is_module_class(file: SourceFile, cls: ast.ClassDef) -> bool:
    """Whether a class derives from a Module, as far as its own file says."""
    for base in cls.bases:
        name = query.qualified(file, base) or ""
        own = query.classes(file).get(name)
        if (
            name.rpartition(".")[2] in ("Module", "Sequential")
            or name.startswith("torch.nn.")
            or (own is not None and own is not cls and _is_module_class(file, own))
        ):
            return True
    return False


def _requires_grad(value: ast.expr | None) -> bool:
    """Whether an expression makes a tensor that requires grad."""
    for node in ast.walk(value) if value is not None else ():
        if (
            isinstance(node, ast.keyword)
            and node.arg == "requires_grad"
            and isinstance(node.value, ast.Constant)
            and node.value.value is True
        ):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "requires_grad_":
            return True
    return False


def _finding(project: Project, params: Sequence[Fact], cls: str, attribute: str, kind: str) -> Finding:
    holder = params[0]["holder"]
    around = site_place(holder)
    file = project.file(around.file) if around else None
    assignment = _assignment(file, cls, attribute)
    place = Place(file.path, assignment.lineno) if file is not None and assignment is not None else around
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="container" if kind in CONTAINERS else "tensor",
        values={"cls": cls, "attribute": attribute, "kind": kind, "tensors": len(params), "numel": tensors.numel(params)},
        place=place,
        related=related(around, site_place(params[0].get("used_site"))),
        why="unknown",
        fix=FIXES.get(kind, "parameter"),
        explains=EXPLAINS,
        ground="graph",
    )


def _assignment(file: SourceFile | None, cls: str, attribute: str) -> ast.Assign | ast.AnnAssign | None:
    """Where the class sets the attribute first."""
    node = query.classes(file).get(cls.rpartition(".")[2]) if file is not None else None
    found = query.attribute_assignments(node, attribute) if node is not None else []
    return found[0] if found else None


def edit(finding: Finding, project: Project) -> Edit | None:
    """Put the list into a ModuleList, where the assignment is a list of modules or an empty list that modules are appended to."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.values.get("kind") != "list":
        return None
    statement = query.statement_at(file, finding.place.line)
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or not isinstance(statement.value, ast.List | ast.ListComp):
        return None
    module_list = _module_list_name(file)
    if module_list is None or _holds_bare_tensors(file, statement, str(finding.values.get("attribute"))):
        return None
    empty = isinstance(statement.value, ast.List) and not statement.value.elts
    change = edits.replace_node(file, statement.value, f"{module_list}()") if empty else edits.wrap_in_call(statement.value, module_list)
    return edits.make(file, [change], safe=True)


def _module_list_name(file: SourceFile) -> str | None:
    """How the file can name ModuleList with the imports it has."""
    by_target = {target: name for name, target in file.aliases.items()}
    if "torch.nn.ModuleList" in by_target:
        return by_target["torch.nn.ModuleList"]
    if "torch.nn" in by_target:
        return f"{by_target['torch.nn']}.ModuleList"
    return f"{by_target['torch']}.nn.ModuleList" if "torch" in by_target else None


def _holds_bare_tensors(file: SourceFile, statement: ast.Assign | ast.AnnAssign, attribute: str) -> bool:
    """Whether anything but modules goes into the list: then ModuleList would refuse it."""
    cls = next((node for node in file.ancestors(statement) if isinstance(node, ast.ClassDef)), None)
    values: list[ast.expr] = []
    if isinstance(statement.value, ast.List):
        values.extend(statement.value.elts)
    elif isinstance(statement.value, ast.ListComp):
        values.append(statement.value.elt)
    for node in ast.walk(cls) if cls is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and query.is_self_attribute(node.func.value, attribute):
            if node.func.attr != "append" or len(node.args) != 1:
                return True
            values.append(node.args[0])
    return not all(_is_module(file, value) for value in values)


def _is_module(file: SourceFile, value: ast.expr) -> bool:
    """Whether an expression surely makes a module: a class of torch.nn, or a class of the file that derives from a Module."""
    if not isinstance(value, ast.Call):
        return False
    name = query.qualified(file, value.func) or ""
    head, _, last = name.rpartition(".")
    if head.startswith("torch.nn") and not head.startswith("torch.nn.functional") and last[:1].isupper() and last != "Parameter":
        return True
    own = query.classes(file).get(name)
    return own is not None and any((query.dotted(base) or "").rpartition(".")[2] in ("Module", "Sequential") for base in own.bases)


def examine_source(project: Project) -> Iterable[Finding]:
    """A list attribute of a Module class that is filled with modules, is called through in forward and is registered in no way."""
    for file in project.files:
        for cls in query.classes(file).values():
            if _is_module_class(file, cls):
                yield from _in_class(file, cls)


REGISTERING = ("add_module", "register_module", "ModuleList", "ModuleDict", "Sequential", "setattr", "register_parameter", "ParameterList")


def _in_class(file: SourceFile, cls: ast.ClassDef) -> Iterator[Finding]:
    for statement in ast.walk(cls):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.List | ast.ListComp):
            continue
        for target in statement.targets:
            if not query.is_self_attribute(target) or not isinstance(target, ast.Attribute):
                continue
            name = target.attr
            # The list must be used in forward, every mention of it must be one that cannot register it, and modules must go into it.
            if _registered_elsewhere(cls, name) or not _used_in_forward(cls, name) or _holds_bare_tensors(file, statement, name):
                continue
            if isinstance(statement.value, ast.List) and not statement.value.elts and not _appended(cls, name):
                continue
            if _parameters_used_by_hand(file, name):
                continue
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="source",
                values={"cls": cls.name, "attribute": name, "kind": "list"},
                place=Place(file.path, statement.lineno),
                why="unknown",
                fix="module-list",
                explains=EXPLAINS,
                confidence=0.9,
                ground="source",
            )


def _appended(cls: ast.ClassDef, name: str) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and query.is_self_attribute(node.func.value, name)
        for node in ast.walk(cls)
    )


def _used_in_forward(cls: ast.ClassDef, name: str) -> bool:
    forward = query.methods(cls).get("forward")
    return forward is not None and any(query.is_self_attribute(node, name) for node in ast.walk(forward))


def _registered_elsewhere(cls: ast.ClassDef, name: str) -> bool:
    """Whether the list's modules may be registered by another line: by its name inside a registering call, or by any such call in a
    loop, where the text does not say what is registered."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Call):
            called = (query.dotted(node.func) or "").rpartition(".")[2]
            if called in REGISTERING and (
                called in ("add_module", "register_module", "setattr", "register_parameter")
                or any(query.is_self_attribute(inner, name) for inner in ast.walk(node))
            ):
                return True
    return False


def _parameters_used_by_hand(file: SourceFile, name: str) -> bool:
    """Whether the list is mentioned outside of the class, where its parameters may be handed to the optimizer one by one."""
    for node in file.nodes:
        if isinstance(node, ast.Attribute) and node.attr == name and not query.is_self_attribute(node, name):
            return True
    return "def parameters" in file.text


RULE = Rule(
    id="params-not-registered",
    title="Submodules or parameters that parameters() does not know",
    severity=Severity.ERROR,
    needs=frozenset({"param"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
