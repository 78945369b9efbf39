"""The user's project: the files that a run used, or that a path holds, and how they import one another."""

from __future__ import annotations

import ast
import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from doctorch.findings import Place
from doctorch.source.files import SourceFile

if TYPE_CHECKING:
    from doctorch.records.reader import Run

SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})
"""Folders that `doctorch check FOLDER` does not enter, besides those whose name starts with a dot."""


class Project:
    """The user's source files by absolute path. Files are read when first asked for."""

    def __init__(self, files: Iterable[SourceFile] = (), *, on_disk: bool = True) -> None:
        self._files: dict[str, SourceFile | None] = {file.path: file for file in files}
        self._on_disk = on_disk
        self.unreadable: dict[str, str] = {}
        """Files that were named or found and could not be read, and why."""

    @classmethod
    def from_paths(cls, paths: Sequence[str | Path]) -> Project:
        """The Python files and notebooks that the paths name or hold, and the files of the same project that they import.

        Those that cannot be read are named in ``unreadable``.
        """
        project = cls()
        for path in paths:
            for file in _python_files(Path(path)):
                try:
                    project._files[str(file.resolve())] = SourceFile(str(file.resolve()), file.read_bytes())
                except OSError as error:
                    project.unreadable[str(file)] = error.strerror or str(error)
        project.follow_imports()
        return project

    @classmethod
    def from_run(cls, run: Run) -> Project:
        """The sources as they were when the run used them; a file of which no copy was kept is read from disk."""
        files: dict[str, SourceFile] = {}
        for process in run.processes:
            for path, digest in process.meta.get("sources", {}).items():
                if path not in files:
                    try:
                        files[path] = SourceFile(path, (run.folder / "sources" / f"{digest}.py").read_bytes())
                    except OSError:
                        continue  # file() falls back to the disk
        return cls(files.values())

    def file(self, path: str | None) -> SourceFile | None:
        """The file, or None where it cannot be read."""
        if path is None:
            return None
        if path not in self._files:
            self._files[path] = None
            if self._on_disk and os.path.isfile(path):
                try:
                    self._files[path] = SourceFile.read(path)
                except OSError:
                    pass
        return self._files[path]

    @property
    def files(self) -> list[SourceFile]:
        """All files read so far, by path."""
        return [file for _, file in sorted(self._files.items()) if file is not None]

    def text_line(self, place: Place | None) -> str | None:
        """The source line at a place, without its indentation, or None."""
        file = self.file(place.file) if place else None
        if file is None or place is None or not 1 <= place.line <= len(file.lines):
            return None
        return file.line(place.line).strip()

    def follow_imports(self) -> None:
        """Read the files of this project that the files read so far import, and theirs in turn."""
        waiting = self.files
        while waiting:
            for target in list(self.imports(waiting.pop())):
                if target not in self._files and (file := self.file(target)) is not None:
                    waiting.append(file)

    def imports(self, file: SourceFile) -> Iterator[str]:
        """Paths of the project's own files that a file imports (packages of the environment are not followed)."""
        base = Path(file.path).parent
        for node in file.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from _module_files(base, alias.name.split("."))
            elif isinstance(node, ast.ImportFrom):
                root = base
                for _ in range(max(node.level - 1, 0)):
                    root = root.parent
                parts = node.module.split(".") if node.module else []
                yield from _module_files(root, parts)
                for alias in node.names:
                    yield from _module_files(root, [*parts, alias.name])

    def connected(self, file: SourceFile) -> list[SourceFile]:
        """The file and all files read so far that import it or that it imports, also over others."""
        links: dict[str, set[str]] = {}
        for one in self.files:
            for target in self.imports(one):
                links.setdefault(one.path, set()).add(target)
                links.setdefault(target, set()).add(one.path)
        reached, waiting = {file.path}, [file.path]
        while waiting:
            for other in links.get(waiting.pop(), set()) - reached:
                reached.add(other)
                waiting.append(other)
        return [one for one in self.files if one.path in reached]

    def import_target(self, file: SourceFile, name: str) -> tuple[SourceFile, str] | None:
        """Where a name bound by ``from module import name [as …]`` is defined: the file and the name there."""
        base = Path(file.path).parent
        for node in file.nodes:
            if not isinstance(node, ast.ImportFrom):
                continue
            for alias in node.names:
                if (alias.asname or alias.name) != name:
                    continue
                root = base
                for _ in range(max(node.level - 1, 0)):
                    root = root.parent
                for target in _module_files(root, node.module.split(".") if node.module else []):
                    if (found := self.file(target)) is not None:
                        return found, alias.name
        return None


def _module_files(base: Path, parts: Sequence[str]) -> Iterator[str]:
    if not parts:
        return
    stem = base.joinpath(*parts)
    for path in (stem.with_name(stem.name + ".py"), stem / "__init__.py"):
        if path.is_file():
            yield str(path.resolve())


def _python_files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(d for d in folders if d not in SKIPPED_FOLDERS and not d.startswith("."))
        yield from (Path(folder) / name for name in sorted(names) if name.endswith((".py", ".ipynb")))


_projects: weakref.WeakKeyDictionary[Run, Project] = weakref.WeakKeyDictionary()


def project_of(run: Run) -> Project:
    """The project of a run, parsed once for all rules."""
    if run not in _projects:
        _projects[run] = Project.from_run(run)
    return _projects[run]
