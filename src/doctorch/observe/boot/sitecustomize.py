"""Puts doctorch's observers into a Python process, and leaves no trace of how they came there.

The parent starts the training with this folder first in PYTHONPATH, so Python imports this file at start-up, before the script.
It takes its variables and its folder out again, waits for «torch» to be imported, and then calls ``doctorch.observe.install``. Child
processes that are Python interpreters get the variables again; all others see the environment as it is without doctorch.

Everything here runs in the user's process: only modules that every interpreter has loaded at start-up are imported, and no failure
may reach the script.
"""

import os
import sys

MYPY = False
if MYPY:  # a checker reads this; ``typing`` is not among the modules of a fresh interpreter
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_SETTINGS = "DOCTORCH_SETTINGS"
_PYTHONPATH = "DOCTORCH_PYTHONPATH"
_ROOT = "DOCTORCH_ROOT"


def _interpreter_reads_environment(args: list[str]) -> bool:
    """False where the command line of an interpreter turns off PYTHONPATH or ``site``: the variables would stay in sight there."""
    words = iter(args)
    for word in words:
        if not word.startswith("-") or word in ("-", "--"):
            return True
        if word.startswith("--"):
            if word == "--check-hash-based-pycs":
                next(words, None)
            continue
        for at, letter in enumerate(word[1:], start=2):
            if letter in "EIS":
                return False
            if letter in "cm":
                return True
            if letter in "WX":
                if at == len(word):
                    next(words, None)
                break
    return True


def _text(value: object) -> str:
    """A path or argument as str, whatever the caller passed."""
    return os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else ""


def _named_python(base: str) -> bool:
    """python, python3, python3.13t, pythonw.exe; not python3-config."""
    return base.startswith("python") and not base[len("python") :].removesuffix(".exe").strip("0123456789.tw")


def _is_python(executables: list[str]) -> bool:
    """Whether what is about to be executed is a Python interpreter, or a script that names one in its first line."""
    if not executables:
        return False
    base = os.path.basename(executables[0]).lower()
    if _named_python(base) or (sys.executable and base == os.path.basename(sys.executable).lower()):
        return True
    for path in executables:
        try:
            with open(path, "rb", buffering=0) as file:
                start = file.read(256)
        except OSError:
            continue  # a folder of PATH without it
        return start.startswith(b"#!") and b"python" in start.split(b"\n", 1)[0]
    return False


class _Descendants:
    """Hands the variables on to children that are Python interpreters."""

    def __init__(self, variables: dict[str, str], boot: str) -> None:
        self.variables = variables
        self.boot = boot

    def wanted(self, executables: list[str], args: list[str]) -> bool:
        return _is_python(executables) and (
            not _named_python(os.path.basename(executables[0]).lower()) or _interpreter_reads_environment(args[1:])
        )

    def extend(self, env: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """The child's environment with our variables, and its own PYTHONPATH kept for it."""
        extended = dict(env)
        own = extended.get(b"PYTHONPATH")
        if own is not None:
            extended[_PYTHONPATH.encode()] = own
        boot = os.fsencode(self.boot)
        extended[b"PYTHONPATH"] = boot + os.fsencode(os.pathsep) + own if own else boot
        for name, value in self.variables.items():
            extended[name.encode()] = os.fsencode(value)
        return extended

    def wrap_fork_exec(self, module: "Any") -> None:
        """``_posixsubprocess.fork_exec``, which subprocess and multiprocessing share; argument 5 is the environment: NAME=value."""
        original = module.fork_exec

        def fork_exec(*call: "Any") -> int:
            try:
                args, executables, env = call[0], call[1], call[5]
                if self.wanted([_text(e) for e in executables], [_text(a) for a in args]):
                    pairs = dict(os.environb) if env is None else dict(entry.split(b"=", 1) for entry in env)
                    extended = [name + b"=" + value for name, value in self.extend(pairs).items()]
                    call = (*call[:5], extended, *call[6:])
            except Exception:
                pass  # the child is started all the same, unobserved
            return int(original(*call))

        module.fork_exec = fork_exec

    def wrap_posix_spawn(self) -> None:
        """subprocess takes this way instead where it may."""
        original = getattr(os, "posix_spawn", None)
        if original is None:
            return

        def posix_spawn(path: "Any", argv: "Any", env: "Any", /, **options: "Any") -> int:
            try:
                argv = list(argv)
                if self.wanted([_text(path)], [_text(a) for a in argv]):
                    pairs = {os.fsencode(name): os.fsencode(value) for name, value in dict(os.environ if env is None else env).items()}
                    env = self.extend(pairs)
            except Exception:
                pass  # as above
            return int(original(path, argv, env, **options))

        os.posix_spawn = posix_spawn

    def wrap_exec(self) -> None:
        """A script that starts itself anew; the other functions of this kind in ``os`` go through these two."""
        plain, with_environment = os.execv, os.execve

        def execve(path: "Any", argv: "Any", env: "Any") -> "Any":
            try:
                if self.wanted([_text(path)], [_text(a) for a in argv]):
                    env = self.extend({os.fsencode(name): os.fsencode(value) for name, value in dict(env).items()})
            except Exception:
                pass  # as above
            return with_environment(path, argv, env)

        def execv(path: "Any", argv: "Any") -> "Any":
            try:
                if self.wanted([_text(path)], [_text(a) for a in argv]):
                    return execve(path, argv, os.environ)
            except OSError:
                raise
            except Exception:
                pass  # as above
            return plain(path, argv)

        os.execv, os.execve = execv, execve


def _install(root: str, settings_text: str) -> None:
    """torch has just been executed: bring in the observers from the folder that the parent runs from, whatever ``sys.path`` says."""
    import json

    settings = json.loads(settings_text)
    try:
        if os.name == "posix":
            import _posixsubprocess  # torch brings it in as a rule; with it the finder's work is done  # noqa: F401
        if "doctorch" not in sys.modules:
            from importlib.machinery import PathFinder
            from importlib.util import module_from_spec

            # By its path and not through sys.path: that would also change what every other import finds meanwhile.
            spec = PathFinder.find_spec("doctorch", [root])
            if spec is None or spec.loader is None:
                raise ModuleNotFoundError(f"no doctorch in {root}")
            package = module_from_spec(spec)
            sys.modules["doctorch"] = package
            spec.loader.exec_module(package)
        import doctorch.observe

        doctorch.observe.install(settings)
    except Exception:
        import traceback

        try:
            with open(os.path.join(settings["run_dir"], "observer-error.txt"), "a", encoding="utf-8") as file:
                file.write(f"process {os.getpid()}: the observers could not be installed\n{traceback.format_exc()}\n")
        except OSError:
            pass  # the folder is gone or full: the parent says that nothing was recorded


class _Finder:
    """Waits at the front of ``sys.meta_path`` for exactly two modules, and leaves when both have come."""

    def __init__(self, actions: "dict[str, Callable[[object], None]]") -> None:
        self.actions = actions

    def find_spec(self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None) -> "ModuleSpec | None":
        if name not in self.actions:
            return None
        for finder in list(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None else None
            if spec is not None:
                self._notice_end_of_import(spec)
                return spec
        return None

    def _notice_end_of_import(self, spec: "Any") -> None:
        """Act when the module has been executed, with no frame of ours on the stack meanwhile.

        The import system sets ``spec._initializing`` to False when it is done, whether the module succeeded or raised. A wrapped
        ``exec_module`` would stand in the traceback of an import that fails.
        """
        plain = type(spec)

        def get(own: "Any") -> bool:
            return bool(own.__dict__.get("_initializing", False))

        def put(own: "Any", value: bool) -> None:
            own.__dict__["_initializing"] = value
            if not value and own.name in sys.modules:
                own.__class__ = plain
                self._act(own.name)

        members = {"__slots__": (), "__module__": plain.__module__, "_initializing": property(get, put)}
        spec.__class__ = type(plain.__name__, (plain,), members)

    def _act(self, name: str) -> None:
        action = self.actions.pop(name, None)
        if action is None:
            return
        if not self.actions and self in sys.meta_path:
            sys.meta_path.remove(self)
        try:
            action(sys.modules[name])
        except Exception:
            pass  # never in the way; _install has noted its own failures


def _start() -> None:
    settings, root = os.environ.pop(_SETTINGS, None), os.environ.pop(_ROOT, None)
    boot = os.path.dirname(os.path.abspath(__file__))
    own = os.environ.pop(_PYTHONPATH, None)
    if settings is None or root is None:
        return  # imported by somebody else: nothing to do
    if own is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = own
    descendants = _Descendants({_SETTINGS: settings, _ROOT: root}, boot)
    actions: dict[str, Callable[[object], None]] = {"torch": lambda module: _install(root, settings)}
    if "_posixsubprocess" in sys.modules:
        descendants.wrap_fork_exec(sys.modules["_posixsubprocess"])
    elif os.name == "posix":
        actions["_posixsubprocess"] = descendants.wrap_fork_exec
    descendants.wrap_posix_spawn()
    descendants.wrap_exec()
    if "torch" in sys.modules:  # a .pth file was earlier
        _install(root, settings)
        del actions["torch"]
    if actions:
        sys.meta_path.insert(0, _Finder(actions))


def _leave_path() -> None:
    boot = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != boot]
    for entry in [entry for entry in sys.path_importer_cache if os.path.abspath(entry or ".") == boot]:
        del sys.path_importer_cache[entry]


def _hand_over() -> None:
    """Let the ``sitecustomize`` that this file shadows, if there is one, take its place."""
    finders = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    for finder in finders:
        spec = finder.find_spec("sitecustomize", None)
        if spec is not None and spec.loader is not None:
            module = type(sys)("sitecustomize")
            for attribute, value in (
                ("__spec__", spec),
                ("__loader__", spec.loader),
                ("__file__", spec.origin),
                ("__cached__", spec.cached),
                ("__package__", ""),
            ):
                setattr(module, attribute, value)
            sys.modules["sitecustomize"] = module
            spec.loader.exec_module(module)
            return
    # What the import system would have said without this file; ``site`` takes it in silence.
    raise ModuleNotFoundError("No module named 'sitecustomize'", name="sitecustomize")


try:
    _start()
except Exception:
    pass  # the script runs unobserved; the parent finds no record and says so
_leave_path()
_hand_over()
