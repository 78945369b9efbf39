"""Makes a forked child harmless: nothing that it does can be seen outside it.

Four walls, each for what the others let through: descriptors that lead somewhere are turned to ``/dev/null`` (those of files
that are read get an offset of their own, since a fork shares it); Landlock, where the kernel has it, refuses every write to
the file system, also by C libraries; an audit hook refuses sockets, subprocesses and whatever else Python announces; and a
few functions that a training calls each epoch (``torch.save``, ``os.makedirs``) do nothing instead of failing, so that the
child can go on.
"""

from __future__ import annotations

import builtins
import ctypes
import fcntl
import io
import os
import resource
import signal
import stat
import sys
from collections.abc import Callable
from typing import Any

import torch

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
SYS_LANDLOCK_CREATE_RULESET, SYS_LANDLOCK_ADD_RULE, SYS_LANDLOCK_RESTRICT_SELF = 444, 445, 446
"""The same numbers on every architecture that Linux supports for these calls."""
LANDLOCK_VERSION = 1
WRITE_FILE = 1 << 1
WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
"""Of the access rights of Landlock's first version those that change the file system: write, remove and make of every kind."""
PATH_BENEATH = 1

REFUSED = (
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn",
    "os.spawn", "os.fork", "os.forkpty", "os.kill", "os.killpg", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink",
    "os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move", "shutil.copyfile",
    "shutil.copytree", "sqlite3.connect", "ftplib.connect", "http.client.connect", "smtplib.connect", "urllib.Request", "webbrowser.open",
)  # fmt: skip
_WRITERS = ("mkdir", "makedirs", "remove", "unlink", "rmdir", "rename", "replace", "kill", "killpg", "chmod", "symlink", "link", "utime")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(OSError):
    """The experiment tried to do something that could be seen outside it."""


def why_not(own: str) -> str | None:
    """Why a sealed child cannot be made of this process, or None. ``own``: the folder whose files are our own."""
    if sys.platform != "linux":
        return f"a copy of the process cannot be made safely on {sys.platform}"
    cuda = sys.modules.get("torch.cuda")
    if cuda is not None and cuda.is_initialized():
        return "a process that uses CUDA cannot be copied"
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return "the process takes part in a process group"
    shared = _shared_files(os.path.realpath(own))
    if shared:
        return f"the process writes to a file mapped into memory ({shared})"
    return None


def _shared_files(own: str) -> str | None:
    """A writable shared mapping through which a child could change what its parent sees."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            if len(fields) < 6 or fields[1][1] != "w" or fields[1][3] != "s":
                continue
            path = fields[5].strip()
            if path.startswith((own + os.sep, "/dev/shm/torch_", "/torch_", "/dev/shm/sem.", "/dev/zero", "anon_inode", "/memfd:torch")):
                continue  # batches of loader workers, which a child gets copies of; semaphores of their queues, which it never takes
            return os.path.basename(path.removesuffix(" (deleted)"))
    return None


def seal(pipe: int) -> None:
    """In the child, before any code of the script's runs again: put up the walls. ``pipe``: the descriptor that stays open for results.

    Raises:
        OSError: a wall could not be put up; the child must end at once.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    torch.set_num_threads(1)  # the pool of threads was not copied
    _turn_descriptors(pipe)
    walled = _landlock(libc)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not walled:
        # Files cannot grow, and one that C code would truncate cannot be told apart: such code is rare, and the audit hook sees the rest.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _blunt()
    sys.addaudithook(_audit)


def _turn_descriptors(pipe: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number in (pipe, null):
            continue
        try:
            mode = os.fstat(number).st_mode
            flags = fcntl.fcntl(number, fcntl.F_GETFL)
            if stat.S_ISDIR(mode):
                continue
            if stat.S_ISREG(mode) and flags & os.O_ACCMODE == os.O_RDONLY:
                own = os.open(f"/proc/self/fd/{number}", os.O_RDONLY | os.O_CLOEXEC)
                os.lseek(own, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
                os.dup2(own, number)
                os.close(own)
            elif number > 2 and stat.S_ISCHR(mode) and flags & os.O_ACCMODE == os.O_RDONLY:
                continue  # /dev/urandom
            else:
                os.dup2(null, number)
        except OSError:
            continue  # closed in the meantime: the listing's own descriptor


def _landlock(libc: Any) -> bool:
    """Refuse every write to the file system but those to ``/dev/null``. Whether the kernel does so."""

    class Ruleset(ctypes.Structure):
        _fields_ = [("handled_access_fs", ctypes.c_uint64)]

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]

    if libc.syscall(SYS_LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_VERSION) < 1:
        return False
    wanted = Ruleset(WRITES)
    ruleset = libc.syscall(SYS_LANDLOCK_CREATE_RULESET, ctypes.byref(wanted), ctypes.sizeof(wanted), 0)
    if ruleset < 0:
        return False
    null = os.open(os.devnull, getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
    rule = Beneath(WRITE_FILE, null)
    libc.syscall(SYS_LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(rule), 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    done = libc.syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0
    os.close(null)
    os.close(ruleset)
    return bool(done)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in REFUSED:
        raise Refused(f"not in an experiment: {event}")
    if event == "open" and args[0] != os.devnull:
        mode, flags = args[1], args[2]
        writes = (
            any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool(isinstance(flags, int) and flags & _WRITE_FLAGS)
        )
        if writes:
            raise Refused("not in an experiment: open for writing")


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Stands for a function that would write."""


def _blunt() -> None:
    """What a training writes every epoch is written nowhere, without an error."""
    original = builtins.open

    def open_harmless(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(mode, str) and any(letter in mode for letter in "wax+"):
            return original(os.devnull, mode.replace("x", "w"), *args, **kwargs)
        return original(file, mode, *args, **kwargs)

    builtins.open = io.open = open_harmless
    for module, names in (
        (
            os,
            ("mkdir", "makedirs", "remove", "unlink", "rmdir", "rename", "replace", "kill", "killpg", "chmod", "symlink", "link", "utime"),
        ),
        (torch, ("save",)),
        (torch.jit, ("save",)),
        (sys.modules.get("shutil"), ("copy", "copy2", "copyfile", "copytree", "move", "rmtree")),
    ):
        for name in names if module is not None else ():
            setattr(module, name, _nothing)
    _free_tqdm()


def _free_tqdm() -> None:
    """Its lock is shared between processes: a child that is ended while it holds it would stop the training's progress bar for good."""
    tqdm = sys.modules.get("tqdm.std")
    if tqdm is not None:
        import threading

        set_lock: Callable[[Any], None] = tqdm.tqdm.set_lock
        set_lock(threading.RLock())
