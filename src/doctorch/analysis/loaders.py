"""What the training waits for at a DataLoader, and what its dataset does in that time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
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
    getitem_line: int | None


@dataclass(frozen=True)
class LoaderAccount:
    """One loader that training waits for. Times in ms."""

    fact: Fact
    batches: int
    wait_per_batch: float
    """Waiting of the training process, first batches of iterators (start of workers) left out."""
    total_wait: float
    fetch_per_batch: float | None
    """Time to fetch a batch, in whichever process did it."""
    cpu_share: float | None
    """CPU time over wall time of a fetch."""
    lines: tuple[HotLine, ...]
    """Lines below the dataset's ``__getitem__``, most time first."""
    item_share: float
    """Share of the sampled fetch time that lies below the dataset's own code."""
    shapes: tuple[tuple[str, float], ...]
    """Known shapes and their share of the sampled fetch time, largest first."""
    sampled_ms: float

    @property
    def workers(self) -> int:
        """num_workers."""
        return int(self.fact.get("num_workers") or 0)

    @property
    def hottest(self) -> HotLine | None:
        """The line that takes most."""
        return self.lines[0] if self.lines else None

    def hottest_of(self, shape: str) -> HotLine | None:
        """The line in which most of the time of a shape is spent."""
        weighted = [(line.share * sum(w for name, w in line.callees if shape_of(name) == shape), line) for line in self.lines]
        return max(weighted, key=lambda pair: pair[0])[1] if weighted else None


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
    sources = _sources(run, process, int(fact.get("num_workers") or 0))
    samples = [s for p in sources for s in p.facts("loader_line") if str(s.get("loader")) == fact.key]
    total = sum(float(t.get("weight_ms") or 0) for p in sources for t in p.facts("loader_total") if str(t.key) == fact.key)
    total = total or sum(float(s.get("weight_ms") or 0) for s in samples)
    lines = _lines([s for s in samples if s.get("in_getitem")], total)
    shapes: dict[str, float] = defaultdict(float)
    for line in lines:
        for name, weight in line.callees:
            if shape := shape_of(name):
                shapes[shape] += line.share * weight
    batches, iterators = int(fact["batches"]), int(fact.get("iterators") or 1)
    wait, first = float(fact.get("wait_ms") or 0), float(fact.get("first_wait_ms") or 0)
    later = batches - iterators
    fetched, fetch = fact.get("fetched"), float(fact.get("fetch_ms") or 0)
    return LoaderAccount(
        fact=fact,
        batches=batches,
        wait_per_batch=(wait - first) / later if later > 0 else wait / batches,
        total_wait=wait,
        fetch_per_batch=fetch / fetched if fetched and fetch else None,
        cpu_share=float(fact.get("fetch_cpu_ms") or 0) / fetch if fetch else None,
        lines=lines,
        item_share=sum(line.share for line in lines),
        shapes=tuple(sorted(shapes.items(), key=lambda item: -item[1])),
        sampled_ms=total,
    )


def _sources(run: Run, process: Process, workers: int) -> list[Process]:
    """Where the samples of a loader lie: with workers, in the processes of those that this process started."""
    own = process.meta.get("pid")
    if not workers:
        return [process]
    return [process, *(p for p in run.processes if p.role == "loader-worker" and p.meta.get("parent_pid") == own)]


def _lines(samples: Iterable[Fact], total: float) -> tuple[HotLine, ...]:
    weight: dict[tuple[str, int], float] = defaultdict(float)
    callees: dict[tuple[str, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    kept: dict[tuple[str, int], Fact] = {}
    for sample in samples:
        if sample.file is None or sample.line is None:
            continue
        key = (sample.file, sample.line)
        kept[key] = sample
        weight[key] += float(sample.get("weight_ms") or 0)
        for name, ms in (sample.get("callees") or {}).items():
            callees[key][name] += float(ms)
    lines = [
        HotLine(
            file=file,
            line=line,
            function=str(kept[file, line].get("function") or ""),
            share=ms / total if total else 0.0,
            callees=tuple(sorted(((name, min(1.0, w / ms)) for name, w in callees[file, line].items()), key=lambda c: -c[1])) if ms else (),
            getitem_line=kept[file, line].get("getitem_line"),
        )
        for (file, line), ms in weight.items()
    ]
    return tuple(sorted(lines, key=lambda line: -line.share))
