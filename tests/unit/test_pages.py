"""Every rule has a page; every sentence on it is used by some finding, and every value that it names is supplied."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from scenarios import SCENARIOS
from test_check import SICK

from doctorch.diagnose import check, diagnose
from doctorch.findings import Finding
from doctorch.report.messages import names, sentences
from doctorch.rules import registry
from doctorch.rules.pages import PageError, read_page


@pytest.fixture(scope="module")
def all_findings(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    found = [
        one.finding
        for scenario in SCENARIOS
        if scenario.rule is not None
        for one in diagnose(scenario.build(tmp_path_factory.mktemp(scenario.name)).run()).findings
    ]
    for number, (_, text, _) in enumerate(SICK):
        path = tmp_path_factory.mktemp(f"source{number}") / "train.py"
        path.write_text(text, encoding="utf-8")
        found.extend(one.finding for one in check([path]).findings)
    return found


@pytest.mark.parametrize("rule", registry.rules())
def test_sentences(rule: str, all_findings: list[Finding]) -> None:
    messages = registry.page(rule).messages
    used: dict[str, set[str]] = defaultdict(set)
    for finding in all_findings:
        if finding.rule == rule:
            assert sentences(finding).message
            for message_id in (finding.message, finding.why, finding.fix, finding.proof):
                if message_id is not None:
                    used[message_id] |= set(finding.values)
    assert set(used) == set(messages)
    for message_id, values in used.items():
        assert names(messages[message_id]) <= values


@pytest.mark.parametrize("rule", registry.rules())
def test_page_text(rule: str) -> None:
    page = registry.page(rule)
    assert page.title == registry.rules()[rule].rule.title
    for heading in ("## How it shows", "## What it is not", "## How to fix it", "## Sources"):
        assert heading in page.text
    for text in page.messages.values():
        assert not text.startswith('"')
        assert ":count of}" not in text  # a count other than one takes the plural: «29 ofs 30»


def test_another_language_falls_back_to_english() -> None:
    assert registry.page("double-softmax", "xx") == registry.page("double-softmax")


def test_bad_pages(tmp_path: Path) -> None:
    path = tmp_path / "x.en.md"
    for text in ("no front matter", "---\ntitle: a\n", "---\ntitle: a\na: b\na: c\n---\n", "---\na: b\n---\n", "---\ntitle: a\n???\n---\n"):
        path.write_text(text)
        with pytest.raises(PageError):
            read_page(path)


def test_unique_ids_match_their_files() -> None:
    for rule_id, entry in registry.rules().items():
        assert entry.file.stem == rule_id.replace("-", "_")
        assert entry.rule.examine or entry.rule.examine_source
