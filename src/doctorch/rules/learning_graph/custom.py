"""What the rules on custom autograd functions share: the results of checking them on a copy, and their lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from doctorch.analysis import probes
from doctorch.findings import Place
from doctorch.records.reader import Fact, Run
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

TOLERANCE = 1e-2
"""Relative difference of derivatives, where the check does not say its own: an approximation (tanh-GELU for GELU) stays below it."""


@dataclass(frozen=True)
class Checked:
    """A custom function and what its check gave."""

    name: str
    fact: Fact
    data: Mapping[str, Any]
    backward: Place | None
    """Where its backward returns, or begins where it returns at several lines."""
    cls: tuple[SourceFile, ast.ClassDef] | None

    @property
    def deliberate(self) -> bool:
        """A straight-through estimator, a surrogate, a reversal, or clipping of gradients."""
        return bool(self.data.get("deliberate"))

    @property
    def wrong(self) -> list[Mapping[str, Any]]:
        """The inputs whose derivative differs from the numeric one."""
        tolerance = float(self.data.get("tolerance") or TOLERANCE)
        return [given for given in self.data.get("inputs") or () if float(given["error"]) > tolerance]

    def argument(self, index: int) -> str:
        """What the forward calls its input of that index (0-based, without ctx), or its number."""
        names = forward_names(self.cls[1]) if self.cls is not None else []
        if index < len(names):
            return names[index]
        return f"number {index + 1}"


def checked(run: Run) -> Iterator[Checked]:
    """The custom functions that were checked."""
    for process in run.training[:1]:
        tried = probes.probe(process, "custom-functions")
        results: Mapping[str, Any] = (tried.data.get("functions") or {}) if tried is not None else {}
        for fact in process.facts("function"):
            data = results.get(str(fact.get("cls")))
            if data and "why_not" not in data:
                cls = class_of(project_of(run), fact.file, str(fact.get("cls")))
                yield Checked(str(fact.get("cls")), fact, data, backward_place(cls, fact), cls)


def class_of(project: Project, path: str | None, name: str) -> tuple[SourceFile, ast.ClassDef] | None:
    """The class of that name in a file."""
    file = project.file(path) if path else None
    cls = query.classes(file).get(name) if file is not None else None
    return (file, cls) if file is not None and cls is not None else None


def forward_names(cls: ast.ClassDef) -> list[str]:
    """The inputs of the forward, without its context, which it does not get in the style with setup_context."""
    methods = query.methods(cls)
    forward = methods.get("forward")
    names = [arg.arg for arg in (*forward.args.posonlyargs, *forward.args.args)] if forward is not None else []
    return names if "setup_context" in methods else names[1:]


def backward_place(cls: tuple[SourceFile, ast.ClassDef] | None, fact: Fact | None) -> Place | None:
    """The only return of the backward, else its definition, else what the record says."""
    if cls is not None:
        method = query.methods(cls[1]).get("backward")
        if method is not None:
            returns = [node for node in query.in_scope(method) if isinstance(node, ast.Return)]
            return Place(cls[0].path, returns[0].lineno if len(returns) == 1 else method.lineno)
    return Place(fact.file, fact.line) if fact is not None and fact.file and fact.line else None
