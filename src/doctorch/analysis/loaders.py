"""What the training waits for at a DataLoader, and what its dataset does in that time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from doctorch.records.reader import Fact, Process, Run


@dataclass(frozen=True)
class Shape:
    """What an item of a dataset may spend its time on, told by the library that the user's line calls, never by the user's names."""

    name: str
    modules: frozenset[str]
    """Modules, those below them included."""
    calls: frozenset[str] = frozenset()
    """Names of C functions and methods, where only the name is known (``call:…``)."""


SHAPES = (
    # In order: an image library opens the file itself, and pandas.io reads a file before it is a frame.
    Shape(
        "decode",
        frozenset(
            {"PIL", "cv2", "torchvision.io", "torchvision.datasets", "soundfile", "torchaudio", "imageio", "librosa", "av", "decord"}
            | {"scipy.io.wavfile", "skimage.io", "torchcodec", "turbojpeg", "matplotlib.image"}
        ),
        frozenset({"imread", "imdecode"}),
    ),
    Shape(
        "reload-file",
        frozenset(
            {"numpy.lib", "torch.serialization", "json", "csv", "_csv", "pickle", "_pickle", "pandas.io", "h5py", "pathlib", "gzip", "io"}
            | {"zipfile", "pyarrow", "netCDF4", "safetensors", "codecs", "lmdb", "_io", "scipy.io", "yaml"}
        ),
        frozenset({"open", "load", "loads", "read_text", "read_bytes", "read_csv", "loadtxt", "genfromtxt", "fromfile", "memmap"}),
    ),
    Shape(
        "tokenise",
        frozenset(
            {"re", "_sre", "sre_compile", "regex", "tokenizers", "transformers", "sentencepiece", "nltk", "spacy", "torchtext", "tiktoken"}
            | {"string", "unicodedata", "html", "bs4"}
        ),
        frozenset({"findall", "finditer", "fullmatch", "tokenize", "lower", "splitlines", "word_tokenize"}),
    ),
    Shape("dataframe-row", frozenset({"pandas"})),
)


@dataclass(frozen=True)
class HotLine:
    """A line of the user's code that takes time while batches are fetched."""

    file: str
    line: int
    function: str
    share: float
    """Of all sampled fetch time of the loader."""
    callees: tuple[tuple[str, float], ...]
    """Functions that the line called, with their share of the line's time, largest first."""
    own: float
    """Share of the line's time that lies in no Python function that it called: its own work and that of C functions."""
    getitem_line: int | None


@dataclass(frozen=True)
class LoaderAccount:
    """One loader that training waits for. Times in ms."""

    fact: Fact
    batches: int
    wait_per_batch: float
    """Waiting of the training process, first batches of iterators (start of workers) left out."""
    total_wait: float
    later_wait: float
    """``total_wait`` without those first batches."""
    fetch_per_batch: float | None
    """Time to fetch a batch, in whichever process did it."""
    cpu_share: float | None
    """CPU time over wall time of a fetch."""
    lines: tuple[HotLine, ...]
    """Lines below the dataset's ``__getitem__``, most time first."""
    item_share: float
    """Share of the sampled fetch time that lies below the dataset's own code."""
    sampled_ms: float

    @property
    def workers(self) -> int:
        """num_workers."""
        return int(self.fact.get("num_workers") or 0)


def shape_of(callee: str) -> str | None:
    """The shape that a callee (``module:function`` or ``call:name``) tells, or None."""
    module, _, function = callee.partition(":")
    for shape in SHAPES:
        if module == "call":
            if function.rpartition(".")[2] in shape.calls:
                return shape.name
        elif any(module == known or module.startswith(known + ".") for known in shape.modules):
            return shape.name
    return None


def loader_accounts(run: Run) -> list[LoaderAccount]:
    """The loaders of the main process whose dataset is the user's own, longest wait first."""
    process = run.main
    if process is None:
        return []
    accounts = [_account(run, process, fact) for fact in process.facts("loader") if fact.get("batches")]
    return sorted(accounts, key=lambda account: -account.total_wait)


def _account(run: Run, process: Process, fact: Fact) -> LoaderAccount:
    sources = [(process, fact)] if not fact.get("num_workers") else list(_workers(run, process, fact))
    samples = [s for p, own in sources for s in p.facts("loader_line") if str(s.get("loader")) == own.key]
    total = sum(float(t.get("weight_ms") or 0) for p, own in sources for t in p.facts("loader_total") if t.key == own.key)
    lines = _lines([s for s in samples if s.get("in_getitem")], total)
    batches, iterators = int(fact["batches"]), int(fact.get("iterators") or 1)
    wait, first = float(fact.get("wait_ms") or 0), float(fact.get("first_wait_ms") or 0)
    later = batches - iterators
    fetched = sum(int(own.get("fetched") or 0) for _, own in sources)
    fetch = sum(float(own.get("fetch_ms") or 0) for _, own in sources)
    cpu = sum(float(own.get("fetch_cpu_ms") or 0) for _, own in sources)
    return LoaderAccount(
        fact=fact,
        batches=batches,
        wait_per_batch=(wait - first) / later if later > 0 else wait / batches,
        total_wait=wait,
        later_wait=wait - first,
        fetch_per_batch=fetch / fetched if fetched and fetch else None,
        cpu_share=cpu / fetch if fetch else None,
        lines=lines,
        item_share=sum(line.share for line in lines),
        sampled_ms=total,
    )


def _workers(run: Run, process: Process, fact: Fact) -> Iterator[tuple[Process, Fact]]:
    """The worker processes of a loader and their own facts of it: children of this process with the same dataset class."""
    for worker in run.processes:
        if worker.role == "loader-worker" and worker.meta.get("parent_pid") == process.meta.get("pid"):
            for own in worker.facts("loader"):
                if (own.get("dataset_module"), own.get("dataset_cls")) == (fact.get("dataset_module"), fact.get("dataset_cls")):
                    yield worker, own


def _lines(samples: Iterable[Fact], total: float) -> tuple[HotLine, ...]:
    """The samples of all processes by line."""
    weight: dict[tuple[str, int], float] = defaultdict(float)
    own: dict[tuple[str, int], float] = defaultdict(float)
    callees: dict[tuple[str, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    kept: dict[tuple[str, int], Fact] = {}
    for sample in samples:
        if sample.file is None or sample.line is None:
            continue
        key = (sample.file, sample.line)
        kept[key] = sample
        weight[key] += float(sample.get("weight_ms") or 0)
        own[key] += float(sample.get("own_ms") or 0)
        for name, ms in (sample.get("callees") or {}).items():
            if name.startswith("doctorch.") and name.endswith(":open"):  # our own wrapper stands between the line and open()
                callees[key]["io:open"] += float(ms)
            elif not name.startswith("doctorch."):
                callees[key][name] += float(ms)
    lines = [
        HotLine(
            file=file,
            line=line,
            function=str(kept[file, line].get("function") or ""),
            share=ms / total if total else 0.0,
            callees=tuple(sorted(((name, min(1.0, w / ms)) for name, w in callees[file, line].items()), key=lambda c: -c[1])),
            own=min(1.0, own[file, line] / ms),
            getitem_line=kept[file, line].get("getitem_line"),
        )
        for (file, line), ms in weight.items()
        if ms > 0
    ]
    return tuple(sorted(lines, key=lambda line: -line.share))
