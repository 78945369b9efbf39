"""Each scenario: the right rule with the right sentence at the right line, or silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenarios import SCENARIOS, Scenario

from doctorch.diagnose import diagnose
from doctorch.report.terminal import render
from doctorch.source import edits


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario, tmp_path: Path) -> None:
    record = scenario.build(tmp_path)
    diagnosis = diagnose(record.run())
    assert not diagnosis.failures
    if scenario.rule is None:
        assert [found.finding.rule for found in diagnosis.findings] == []
        return
    first = diagnosis.findings[0]
    assert (first.finding.rule, first.finding.message, first.finding.severity.label) == (scenario.rule, scenario.message, scenario.severity)
    assert (scenario.line is None) == (first.source_line is None)
    assert scenario.line is None or scenario.line in (first.source_line or "")
    assert "unknown" not in render(diagnosis)


@pytest.mark.parametrize("scenario", [s for s in SCENARIOS if s.rule], ids=lambda scenario: scenario.name)
def test_edits_fit_the_file(scenario: Scenario, tmp_path: Path) -> None:
    record = scenario.build(tmp_path)
    for found in diagnose(record.run()).findings:
        if found.edit is not None:
            assert found.edit.digest == record.digest
            after = edits.apply(found.edit, record.text)
            compile(after, "train.py", "exec")
            assert after != record.text


EDITED = {
    "sigmoid_twice": "    out = model(x)\n",
    "nll_of_probabilities": "return F.log_softmax(self.fc(x), dim=0)",
    "normalised_over_the_batch": "return F.softmax(self.fc(x), dim=1)",
    "attention_over_heads": "torch.softmax(q @ k, dim=-1)",
    "targets_below_zero": "    hidden = model(x)\n",
    "padding_counted": 'nn.NLLLoss(reduction="sum", ignore_index=0)',
    "labels_int32": "criterion(out, y.long())",
    "labels_long_for_bce": "criterion(out, y.float())",
    "summed_by_the_function": 'nn.NLLLoss(reduction="mean")',
    "never_cleared": "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
    "one_of_two_never_cleared": "    two.zero_grad()\n    loss.backward()\n    one.step(); two.step()",
    "two_never_cleared": "    one.zero_grad()\n    two.zero_grad()\n    loss.backward()\n",
    "one_of_two_seldom_cleared": "    one.zero_grad()\n    loss.backward()\n",
    "a_step_that_returns": "    optimizer.zero_grad(); loss.backward(); optimizer.step(); return loss",
    "a_step_that_is_returned": "        optimizer.zero_grad()\n        loss.backward()\n    return optimizer.step()",
    "a_scheduler_and_a_closure_on_the_line": "    optimizer.zero_grad()\n    loss.backward()\n",
    "cleared_before_step": "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
    "no_step_at_all": "    loss.backward()\n    optimizer.step()\n",
    "step_without_parentheses": "    optimizer.step()\n",
    "four_summed": "    (loss / 4).backward()",
    "scheduler_first": "    optimizer.step()\n    plan.step()\n",
    "clipped_after_the_step": "1.0)\n    optimizer.step()\n",
    "clipped_while_scaled": "    scaler.unscale_(optimizer)\n    torch.nn.utils.clip_grad_norm_",
    "modules_in_a_list": "self.layers = nn.ModuleList()",
    "detached_and_shown": "out = model(x)\n",
    "detached": "out = model(x)\n",
    "encoder_without_gradients": "for x, y in loader:\n    out = model(x)\n",
    "decorated_forward": "self.emb = nn.Embedding(10, 4)\n\n    def forward",
    "one_left_over": "DataLoader(data, batch_size=16, drop_last=True)",
    "one_gradient_for_two_inputs": "return (2 * ctx.kept), None",
    "grad_output_ignored": "return grad_output * (2 * ctx.kept)",
    "state_carried_and_raised": "    loss.backward()\n    state = tuple(s.detach() for s in state)\n    optimizer.step()",
    "step_first_and_cleared": "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n",
    "softmax_in_the_graph": "h = self.fc(x)\n",
    "softmax_in_a_sequential": "nn.Sequential(nn.Linear(4, 4))\n",
    "column_against_row": "criterion(out.squeeze(-1), y)",
    "one_row_short": "nn.Embedding(11, 4)",
    "padded_with_minus_one": "nn.CrossEntropyLoss(ignore_index=-1)",
    "one_based": "criterion(out, y - 1)",
    "marked_column": 'encoding="utf-8-sig"',
    "numbers_as_text": "torch.tensor([int(text) for text in kinds])",
    "text_against_a_number": "int(int(row[0]) == 1)",
    "a_slow_store": "DataLoader(Items(), batch_size=32, num_workers=4)",
}


@pytest.mark.parametrize("name", EDITED)
def test_edit(name: str, tmp_path: Path) -> None:
    record = next(scenario for scenario in SCENARIOS if scenario.name == name).build(tmp_path)
    edit = diagnose(record.run()).findings[0].edit
    assert edit is not None
    assert EDITED[name] in edits.apply(edit, record.text)


@pytest.mark.parametrize("name", ["detached_for_numpy", "detached_for_numpy_later", "detached_for_an_array"])
def test_no_edit_that_numpy_would_refuse(name: str, tmp_path: Path) -> None:
    record = next(scenario for scenario in SCENARIOS if scenario.name == name).build(tmp_path)
    assert diagnose(record.run()).findings[0].edit is None


def test_the_optimizer_that_is_meant_is_named(tmp_path: Path) -> None:
    record = next(scenario for scenario in SCENARIOS if scenario.name == "one_of_two_never_cleared").build(tmp_path)
    assert "the gradients of two from earlier steps" in " ".join(render(diagnose(record.run())).split())


@pytest.mark.parametrize(
    ("rows", "total", "text"),
    [([4], 1, "sample 4"), ([1, 3], 2, "samples 1 and 3"), ([1, 3, 5], 3, "samples 1, 3 and 5"), ([1, 3, 5], 9, "samples 1, 3, 5, …")],
)
def test_positions_in_the_batch(rows: list[int], total: int, text: str, tmp_path: Path) -> None:
    record = next(scenario for scenario in SCENARIOS if scenario.name == "padded_with_minus_one").build(tmp_path)
    (fact,) = record.run().main_facts("index_error")
    record.fact("index_error", fact.key, {**fact.data, "rows": rows, "n_rows": total}, at="loss = criterion")
    assert f"({text})" in " ".join(render(diagnose(record.run())).split())


def test_the_item_of_the_data_set_is_in_the_sentence(tmp_path: Path) -> None:
    record = next(scenario for scenario in SCENARIOS if scenario.name == "item_of_the_data_set_is_told").build(tmp_path)
    finding = diagnose(record.run()).findings[0].finding
    assert str(finding.values["first_rows"]).endswith("item 731 of the data set")
