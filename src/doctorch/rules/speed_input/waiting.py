"""What the rules on slow datasets share: which loader keeps the training waiting, and what its items spend their time on."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from dataclasses import dataclass

from doctorch.analysis.loaders import HotLine, LoaderAccount, loader_accounts, shape_of
from doctorch.analysis.steps import StepAccount, step_account
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.project import Project, project_of

MIN_WAIT_SHARE = 0.4
"""Waiting as a share of all time; below it, a loader that cost nothing would make the run less than 1.7 times as fast."""
NOISY_WAIT_SHARE = 0.25
QUIET_WAIT_SHARE = 0.6
"""On a loaded machine the typical step may be mostly other processes: then so much of it, with so much of the quicker quarter, will do."""
MIN_WAIT_MS = 3.0
"""Waiting a batch: less is the loader's own machinery."""
MIN_TOTAL_MS = 200.0
"""Waiting in all: less is neither worth anybody's time nor enough samples of where it goes."""
MIN_ITEM_SHARE = 0.5
"""Share of the fetch that must lie below the dataset's own code; the rest is collating and sampling."""
MIN_SHAPE_SHARE = 0.4
"""Share of the fetch that one known kind of work must take to be called the reason."""
WAITING_CPU_SHARE = 0.25
"""CPU time over wall time below which a fetch waits (for a disk, a network). On a machine with four busy processes to two cores, work
that never waits still gets half of the time."""
FILE_CPU_SHARE = 0.1
"""The same where the line is known to read or decode files, which takes CPU time anyway: only a really slow disk is waited for."""
CPU_SHAPES = ("tokenise", "dataframe-row")
"""Kinds of work that never wait."""
TEXT_METHODS = frozenset(
    {"lower", "upper", "casefold", "strip", "lstrip", "rstrip", "splitlines", "startswith", "endswith", "isalpha", "isdigit", "isalnum"}
)
"""Methods that texts have and tensors and arrays do not (``split`` and ``replace`` count where they are given texts or nothing)."""
LISTS_TO_ARRAYS = frozenset({"torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.LongTensor", "numpy.array", "numpy.asarray"})
"""Calls that turn Python objects into numbers one by one: Python work, though done in C."""
PYTHON_SHARE = 0.6
"""Share of the fetch that must be spent in the user's own Python code to say that the code itself is slow."""
MIN_SAMPLED_MS = 100.0
"""Sampled time behind a statement on lines: some fifty samples."""


@dataclass(frozen=True)
class Slow:
    """A loader that the training waits for."""

    account: LoaderAccount
    step: StepAccount
    share: float
    """Waiting over all time, 0 to 1."""
    kind: str
    """``waits``, a shape of ``analysis.loaders``, ``python`` or ``library``."""
    kind_share: float
    line: HotLine | None
    """The line where most of it happens."""


def slow_loaders(run: Run) -> list[Slow]:
    """The loaders of the main process that cost the training much, each with what its items spend their time on."""
    process = run.main
    step = step_account(process) if process is not None else None
    if step is None:
        return []
    found = []
    for account in loader_accounts(run):
        share = _share(account, step)
        if account.fact.get("dataset_site") is None or account.later_wait < MIN_TOTAL_MS:
            continue
        noisy = not account.workers and share >= NOISY_WAIT_SHARE and step.quiet_wait_share >= QUIET_WAIT_SHARE
        if (share < MIN_WAIT_SHARE and not noisy) or account.wait_per_batch < MIN_WAIT_MS or account.item_share < MIN_ITEM_SHARE:
            continue
        kind, kind_share, line = _kind(project_of(run), account)
        found.append(Slow(account, step, share, kind, kind_share, line))
    return found


def _share(account: LoaderAccount, step: StepAccount) -> float:
    """Waiting for a loader as a share of the time. Without workers each step waits alike, and the typical step tells; workers deliver in
    bursts, so there only the sums do, without the first batch of each iterator, which waits for the workers to start."""
    if not account.workers:
        return step.typical_wait_share
    rest = step.total_ms - (account.total_wait - account.later_wait)
    return min(1.0, account.later_wait / max(rest, account.later_wait, 1e-9))


def _kind(project: Project, account: LoaderAccount) -> tuple[str, float, HotLine | None]:
    hottest = account.lines[0] if account.lines else None
    by_shape: dict[str, dict[HotLine, float]] = defaultdict(dict)
    for line in account.lines:
        for shape, share in _shapes_of(project, line).items():
            by_shape[shape][line] = line.share * share
    totals = {shape: sum(lines.values()) for shape, lines in by_shape.items()}
    python = totals.pop(PYTHON, 0.0)
    best = max(totals, key=lambda shape: totals[shape], default=None)
    known = best is not None and totals[best] >= MIN_SHAPE_SHARE and account.sampled_ms >= MIN_SAMPLED_MS
    cpu = account.cpu_share if account.cpu_share is not None else 1.0
    if not (known and best in CPU_SHAPES) and cpu < (FILE_CPU_SHARE if known else WAITING_CPU_SHARE):
        return "waits", 1 - cpu, hottest
    if account.sampled_ms < MIN_SAMPLED_MS:
        return "library", account.item_share, hottest
    if best is not None and known:
        return best, totals[best], max(by_shape[best], key=lambda line: by_shape[best][line])
    if python >= PYTHON_SHARE:
        line = max(by_shape[PYTHON], key=lambda line: by_shape[PYTHON][line])
        kind = PYTHON if _is_arithmetic(project, line) else _kind_of_python(project, account)
        return kind, python, line
    return "library", account.item_share, hottest


PYTHON = "python"
SCALAR_MODULES = frozenset(
    ("math", "cmath", "random", "operator", "itertools", "functools", "collections", "bisect", "heapq", "statistics")
    + ("fractions", "decimal")
)
"""Modules of the standard library whose calls do a trifle each: a line that calls them thousands of times is slow Python code."""


def _shapes_of(project: Project, line: HotLine) -> dict[str, float]:
    """What a line spends its time on, as shares of the line's time."""
    shapes: dict[str, float] = defaultdict(float)
    for name, share in line.callees:
        if (shape := shape_of(name)) is not None:
            shapes[shape] += share
    own = c_shape(project, line)
    if own is not None:
        shapes[own] += line.own
    elif not shapes:
        shapes[PYTHON] += _python_part(project, line)
    return {shape: min(1.0, share) for shape, share in shapes.items()}


def _is_arithmetic(project: Project, line: HotLine) -> bool:
    """The hottest line computes with a module of scalar functions, whatever texts are taken apart around it."""
    file = project.file(line.file)
    names = [query.qualified(file, call.func) or "" for call in query.calls_at(file, line.line)] if file is not None else []
    return any(name.partition(".")[0] in SCALAR_MODULES and "." in name for name in names)


def _kind_of_python(project: Project, account: LoaderAccount) -> str:
    """What slow Python code works on, by the built-in functions and methods that the functions around the hot lines use: files that are
    opened and parsed by hand, texts, or else just values."""
    kinds: set[str] = set()
    for line in account.lines:
        file = project.file(line.file)
        functions = [query.function_at(file, number) for number in (line.line, line.getitem_line) if number] if file is not None else []
        for node in (inner for function in functions if function is not None for inner in ast.walk(function)):
            # What stands under an if may be done once: «if self.file is None: self.file = open(…)».
            if file is not None and isinstance(node, ast.Call) and not any(isinstance(around, ast.If) for around in file.ancestors(node)):
                kinds.add(_built_in_kind(node))
    return "reload-file" if "file" in kinds else "tokenise" if "text" in kinds else PYTHON


def _built_in_kind(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return "file" if call.func.id == "open" else ""
    if not isinstance(call.func, ast.Attribute):
        return ""
    name = call.func.attr
    if name in ("read_text", "read_bytes"):
        return "file"
    texts = all(isinstance(arg, ast.Constant) and isinstance(arg.value, str) for arg in call.args)
    return "text" if name in TEXT_METHODS or (name in ("split", "rsplit", "replace", "join") and texts and not call.keywords) else ""


def c_shape(project: Project, line: HotLine) -> str | None:
    """The shape that the functions called on a line tell, for time spent in C functions, which have no frame: ``open(path)``,
    ``np.fromfile(path)``. A name counts after the file's imports only; a method's, never a user's function's, by itself."""
    file = project.file(line.file)
    if file is None:
        return None
    for call in query.calls_at(file, line.line):
        name = query.qualified(file, call.func)
        if name is None:
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        module, _, function = name.rpartition(".")
        imported = name.partition(".")[0] in {target.partition(".")[0] for target in file.aliases.values()}
        if imported and (shape := shape_of(f"{module}:{function}")) is not None:
            return shape
        method = isinstance(call.func, ast.Attribute) or name == "open"
        if method and (shape := shape_of(f"call:{function}")) is not None:
            return shape
    return None


def _python_part(project: Project, line: HotLine) -> float:
    """The share of a line's time that is Python code of the user: all of it inside a comprehension or lambda, which runs the line once
    for each of many values; elsewhere the time outside of other functions, unless the line calls a library, whose C code it then is."""
    file = project.file(line.file)
    if file is None:
        return line.own
    if any(isinstance(node, ast.Lambda | query.Comprehension) and query.spans(node, line.line) for node in file.nodes):
        return 1.0
    packages = {target.partition(".")[0] for target in file.aliases.values()} - SCALAR_MODULES
    names = [query.qualified(file, call.func) or "" for call in query.calls_at(file, line.line)]
    library = any(name.partition(".")[0] in packages and name not in LISTS_TO_ARRAYS for name in names)
    return 0.0 if library else line.own


def wanted_workers(slow: Slow) -> int:
    """Workers that would hide the fetch behind the rest of the step, at least 2, at most 8 and no more than there are CPUs where the
    work needs them (waiting needs none)."""
    rest = max(slow.step.step_ms - slow.step.wait_ms, 1.0)
    fetch = slow.account.fetch_per_batch or slow.account.wait_per_batch
    wanted = max(2, min(8, math.ceil(fetch / rest)))
    cpus = slow.account.fact.process.meta.get("cpus")
    return wanted if slow.kind == "waits" or not cpus else max(1, min(wanted, int(cpus)))


def values_of(slow: Slow) -> dict[str, Value]:
    """The values that the sentences of these rules use."""
    account = slow.account
    wait = account.wait_per_batch if account.workers else slow.step.wait_ms
    return {
        "share": slow.share,
        "wait": wait,
        "step": wait / slow.share,  # of the same kind of mean as the waiting
        "total": account.total_wait,
        "batches": account.batches,
        "dataset": str(account.fact.get("dataset_cls")),
        "workers": account.workers,
        "wanted": wanted_workers(slow),
        "cpu_share": account.cpu_share,
        "kind_share": slow.kind_share,
        "line": slow.line.line if slow.line else None,
        "line_share": slow.line.share if slow.line else None,
        "per_item": _per_item(account),
    }


def _per_item(account: LoaderAccount) -> float | None:
    size = account.fact.get("batch_size")
    return account.fetch_per_batch / size if account.fetch_per_batch is not None and isinstance(size, int) and size > 0 else None


def slow_item_findings(run: Run, rule: str, kind: str) -> list[Finding]:
    """The findings of one rule of the slow-getitem family."""
    return [
        Finding(
            rule=rule,
            severity=Severity.WARNING,
            message="slow",
            values=values_of(slow),
            place=Place(slow.line.file, slow.line.line) if slow.line else site_place(slow.account.fact.get("dataset_site")),
            related=related(site_place(slow.account.fact.get("built_site")), place_of(slow.account.fact)),
            why="why",
            fix="fix",
            explains=("no-workers-heavy-items", "slow-getitem"),
            confidence=0.95,
        )
        for slow in slow_loaders(run)
        if slow.kind == kind
    ]
