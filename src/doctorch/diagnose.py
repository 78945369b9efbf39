"""From a run, or from source text, to a diagnosis: all rules applied, causes before symptoms, what was ignored taken out.

A rule that fails is recorded and the others go on; a rule whose facts are missing is listed as not examined.
"""

from __future__ import annotations

import hashlib
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from doctorch import config as configuration
from doctorch.analysis.summary import RunFacts, summarise
from doctorch.config import Config
from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Run
from doctorch.rules import registry
from doctorch.rules.registry import Entry
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MAX_ADVICE = 3
"""Pieces of advice shown of one run (CATALOGUE: at most three)."""

ALONE = 0.8
"""A symptom less certain than this is shown under a cause only, never by itself."""

OCCURRENCES = frozenset({"exception", "function", "clip", "scheduler", "load", "dropout", "inplace", "nonfinite"})
"""Kinds of facts that tell of something the script did: where there is none, it did nothing of the kind, and the rule has its answer."""

UPSTREAM = (
    "environment", "data", "indices", "numbers", "learning_data", "learning_model", "learning_graph", "learning_update", "learning_loss",
    "distributed", "memory", "speed_loop", "speed_input",
)  # fmt: skip
"""Areas from cause towards effect: of two equally bad and equally certain findings the one further up is told first."""

_IGNORE = re.compile(r"doctorch:\s*ignore(?:\[([^\]]*)\])?(?!\S)")


@dataclass(frozen=True)
class Diagnosed:
    """A finding in its place among the others."""

    id: str
    """Name of the finding within this diagnosis."""
    finding: Finding
    fingerprint: str
    """Rule, file name and normalised source line: the same finding in another run has the same."""
    source_line: str | None
    explained_by: str | None = None
    """Id of the finding that accounts for this one, which is shown under it."""
    edit: Edit | None = None
    also: tuple[Place, ...] = ()
    """Further lines with the same fault."""


@dataclass(frozen=True)
class NotExamined:
    """A rule that could not be applied, and the kinds of facts it lacked."""

    rule: str
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """A rule that raised: a fault of doctorch."""

    rule: str
    text: str
    """The traceback."""


@dataclass(frozen=True)
class Diagnosis:
    """What was found, in the order in which it is shown, and what was looked at."""

    findings: tuple[Diagnosed, ...]
    examined: tuple[str, ...]
    """Ids of the rules that were applied."""
    not_examined: tuple[NotExamined, ...] = ()
    failures: tuple[Failure, ...] = ()
    ignored: int = 0
    """Findings taken out by a comment or by the configuration."""
    hidden_advice: int = 0
    """Pieces of advice beyond the third."""
    problems: tuple[str, ...] = ()
    """Sentences for the user: about the configuration, about files that cannot be read."""
    run: RunFacts | None = None
    """None for a diagnosis from source alone."""
    unparsed: str | None = None
    """Why the script could not even begin, in a sentence; None where it did, or where the text does not say."""
    files: int = 0
    """Files that could be read and parsed, for a diagnosis from source alone."""
    project: Project = field(default_factory=Project, compare=False, repr=False)

    @property
    def causes(self) -> tuple[Diagnosed, ...]:
        """The findings that no other explains."""
        return tuple(found for found in self.findings if found.explained_by is None)

    def under(self, cause: Diagnosed) -> tuple[Diagnosed, ...]:
        """The findings that one explains."""
        return tuple(found for found in self.findings if found.explained_by == cause.id)

    @property
    def worst(self) -> Severity | None:
        """The worst severity among the findings that nothing explains; None when nothing was found."""
        return min((found.finding.severity for found in self.causes), default=None)


def diagnose(run: Run, *, config: Config | None = None) -> Diagnosis:
    """The diagnosis of a recorded run. The configuration is that of the project of the script unless one is given."""
    facts = summarise(run)
    if config is None:
        config = configuration.load(_start(facts))
    gathered = _Gathered()
    for rule_id, entry in registry.rules().items():
        examine = entry.rule.examine
        if examine is None:
            continue
        gathered.apply(rule_id, lambda entry=entry, examine=examine: _lacking(entry, run) or list(examine(run)))  # type: ignore[misc]
    concluded = _conclude(gathered, project_of(run), config, run=facts)
    return replace(concluded, unparsed=_unparsed(facts, concluded.project))


def _unparsed(facts: RunFacts, project: Project) -> str | None:
    """Of a script that failed before it imported torch: that it, or a file that it imports, cannot be parsed."""
    script = project.file(facts.script) if facts.exit_code and not facts.torch_imported else None
    if script is None:
        return None
    project.follow_imports()
    broken = next((file for file in (script, *project.connected(script)) if file.syntax_error is not None), None)
    return f"{Path(broken.path).name} {broken.problem}." if broken is not None else None


def certain_now(run: Run) -> list[Finding]:
    """Findings of a run that still goes on which nothing that follows can change. Failures of rules are left for the end."""
    found: list[Finding] = []
    for entry in registry.rules().values():
        if entry.rule.examine is None or _lacking(entry, run):
            continue
        try:
            found.extend(finding for finding in entry.rule.examine(run) if finding.certain_now)
        except Exception:  # told at the end by diagnose(), which meets it again
            continue
    return found


def check(paths: Sequence[str | Path], *, config: Config | None = None) -> Diagnosis:
    """The part of the diagnosis that needs no run, over Python files, notebooks and folders. What cannot be read is among the
    ``problems``, and ``files`` does not count it."""
    project = Project.from_paths(paths)
    if config is None:
        config = configuration.load(Path(paths[0]).resolve().parent if paths else Path.cwd())
    problems = [f"{path} cannot be read ({reason})." for path, reason in project.unreadable.items()]
    problems += [f"{file.path} {file.problem}." for file in project.files if file.problem is not None]
    readable = sum(file.problem is None for file in project.files)
    gathered = _Gathered()
    for rule_id, entry in registry.rules().items() if readable else ():
        examine = entry.rule.examine_source
        if examine is not None:
            gathered.apply(rule_id, lambda examine=examine: list(examine(project)))  # type: ignore[misc]
    return _conclude(gathered, project, config, problems=problems, files=readable)


@dataclass
class _Gathered:
    """What the rules gave."""

    findings: list[Finding] = field(default_factory=list)
    examined: list[str] = field(default_factory=list)
    not_examined: list[NotExamined] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def apply(self, rule_id: str, rule: Callable[[], list[Finding] | NotExamined]) -> None:
        try:
            result = rule()
        except Exception:  # a rule's own fault must not take the others with it
            self.failures.append(Failure(rule_id, traceback.format_exc()))
            return
        if isinstance(result, NotExamined):
            self.not_examined.append(result)
        else:
            self.examined.append(rule_id)
            self.findings.extend(result)


def _lacking(entry: Entry, run: Run) -> NotExamined | None:
    missing = sorted(kind for kind in entry.rule.needs if not run.has(kind))
    if OCCURRENCES & set(missing):
        return None
    return NotExamined(entry.rule.id, tuple(missing)) if missing else None


def _start(facts: RunFacts) -> Path:
    """The folder from which the configuration is looked for upward: that of the script, else the working directory."""
    if facts.script:
        return Path(facts.script).parent
    return Path(facts.cwd) if facts.cwd else Path.cwd()


def _conclude(
    gathered: _Gathered, project: Project, config: Config, *, run: RunFacts | None = None, problems: Iterable[str] = (), files: int = 0
) -> Diagnosis:
    known = registry.rules()
    unknown = [f"{config.path}: ignore names «{rule}», which is no rule." for rule in sorted(config.ignore - known.keys())]
    kept = [f for f in gathered.findings if f.rule not in config.ignore and not _ignored_by_comment(f, project)]
    ranked = sorted(kept, key=_rank)
    found = [_diagnosed(f"f{number}", group, project, gathered) for number, group in enumerate(_collapse(ranked), 1)]
    found = _explain(found)
    shown, hidden = _limit_advice(found)
    return Diagnosis(
        findings=tuple(_order(shown)),
        examined=tuple(gathered.examined),
        not_examined=tuple(gathered.not_examined),
        failures=tuple(gathered.failures),
        ignored=len(gathered.findings) - len(kept),
        hidden_advice=hidden,
        problems=(*config.problems, *unknown, *problems),
        run=run,
        files=files,
        project=project,
    )


def _rank(finding: Finding) -> tuple[int, bool, float, int, str, int]:
    """Worst first, symptoms last among equals, then the most certain, then the most upstream."""
    entry = registry.rules()[finding.rule]
    upstream = UPSTREAM.index(entry.area) if entry.area in UPSTREAM else len(UPSTREAM)
    place = finding.place or Place("", 0)
    return (int(finding.severity), entry.rule.symptom, -round(finding.confidence, 1), upstream, place.file, place.line)


def _ignored_by_comment(finding: Finding, project: Project) -> bool:
    """Whether the finding's line carries ``# doctorch: ignore[rule]``, or the line above does and is nothing but a comment."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return False
    line = finding.place.line
    comments = [file.comments.get(line, "")]
    if file.line(line - 1).lstrip().startswith("#"):
        comments.append(file.comments.get(line - 1, ""))
    for comment in comments:
        if match := _IGNORE.search(comment):
            named = match.group(1)
            if named is None or finding.rule in (word.strip() for word in named.split(",")):
                return True
    return False


def _collapse(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one rule that say the same of several lines stand together, the first in rank speaks for them."""
    groups: dict[tuple[str, str, Severity], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.message, finding.severity), []).append(finding)
    return list(groups.values())


def _diagnosed(name: str, group: list[Finding], project: Project, gathered: _Gathered) -> Diagnosed:
    finding = group[0]
    line = project.text_line(finding.place)
    edit_of = registry.rules()[finding.rule].rule.edit
    edit: Edit | None = None
    if edit_of is not None:
        try:
            edit = edit_of(finding, project)
        except Exception:  # the finding stands without its repair
            gathered.failures.append(Failure(finding.rule, traceback.format_exc()))
    places = dict.fromkeys(other.place for other in group[1:] if other.place is not None and other.place != finding.place)
    return Diagnosed(name, finding, fingerprint(finding, line), line, edit=edit, also=tuple(places))


def fingerprint(finding: Finding, source_line: str | None) -> str:
    """16 hexadecimal digits from the rule, the file's name and the source line without its spacing."""
    name = Path(finding.place.file).name if finding.place else ""
    parts = (finding.rule, name, "".join((source_line or "").split()))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _explain(found: list[Diagnosed]) -> list[Diagnosed]:
    """Give each finding the cause that accounts for it, if one does; a chain of causes never closes to a ring."""
    causes: dict[str, str] = {}

    def leads_to(start: str, end: str) -> bool:
        while start in causes:
            start = causes[start]
            if start == end:
                return True
        return False

    for effect in found:
        for cause in found:
            if cause is effect or effect.finding.rule not in cause.finding.explains or leads_to(cause.id, effect.id):
                continue
            causes[effect.id] = cause.id
            break
    rules = registry.rules()
    return [
        replace(one, explained_by=causes.get(one.id))
        for one in found
        if one.id in causes or not rules[one.finding.rule].rule.symptom or one.finding.confidence >= ALONE
    ]


def _limit_advice(found: list[Diagnosed]) -> tuple[list[Diagnosed], int]:
    advice = [one.id for one in found if one.finding.severity is Severity.ADVICE and one.explained_by is None]
    hidden = set(advice[MAX_ADVICE:])
    kept = [one for one in found if one.id not in hidden and one.explained_by not in hidden]
    return kept, len(hidden)


def _order(found: list[Diagnosed]) -> list[Diagnosed]:
    """Each cause, followed by what it explains."""
    ordered: list[Diagnosed] = []

    def add(one: Diagnosed) -> None:
        ordered.append(one)
        for other in found:
            if other.explained_by == one.id:
                add(other)

    for one in found:
        if one.explained_by is None:
            add(one)
    return ordered


def source_of(diagnosis: Diagnosis, place: Place) -> SourceFile | None:
    """The file of a place as the diagnosis saw it."""
    return diagnosis.project.file(place.file)
