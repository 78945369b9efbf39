"""The numbers behind the rules."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import scenarios
from records_builder import RecordBuilder

from doctorch.analysis.loaders import loader_accounts, shape_of
from doctorch.analysis.losses import course, entropy, label_entropy, softmax_twice_floor
from doctorch.analysis.steps import backwards_per_step, step_account


def test_step_account_leaves_out_the_warm_up_and_watching(tmp_path: Path) -> None:
    durations = [500.0] * 2 + [12.0] * 18
    record = RecordBuilder(tmp_path).steps([1.0] * 20, duration_ms=durations, watch_ms=2.0, wait_ms=5.0, forward_ms=3.0, backward_ms=1.0)
    process = record.run().main
    assert process is not None
    account = step_account(process)
    assert account is not None
    assert (account.steps, account.measured) == (20, 18)
    assert account.step_ms == pytest.approx(10.0)
    assert account.wait_share == pytest.approx(0.5)
    assert account.typical_wait_share == pytest.approx(0.5)
    assert account.other_ms == pytest.approx(1.0)
    assert account.total_ms == pytest.approx(2 * 498.0 + 18 * 10.0)


def test_a_few_slow_steps_do_not_change_the_typical_share(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path).steps([1.0] * 40, duration_ms=[10.0] * 30 + [400.0] * 10, wait_ms=6.0)
    process = record.run().main
    assert process is not None
    account = step_account(process)
    assert account is not None
    assert account.typical_wait_share == pytest.approx(0.6)
    assert account.wait_share < 0.1


def test_the_quicker_quarter_on_a_loaded_machine(tmp_path: Path) -> None:
    waits = [12.0, 30.0, 12.0, 50.0] * 10
    rests = [60.0, 3.0, 90.0, 40.0] * 10
    record = RecordBuilder(tmp_path).steps([1.0] * 40, duration_ms=[w + r for w, r in zip(waits, rests, strict=True)], wait_ms=waits)
    process = record.run().main
    assert process is not None
    account = step_account(process)
    assert account is not None
    assert account.quiet_wait_share == pytest.approx(12 / (12 + 40))


def test_no_steps_no_account(tmp_path: Path) -> None:
    process = RecordBuilder(tmp_path).run().main
    assert process is not None
    assert step_account(process) is None
    assert backwards_per_step(process) == 1.0


def test_course_of_a_falling_loss() -> None:
    seen = course([2.0 - 0.01 * i for i in range(100)])
    assert seen is not None
    assert seen.still_falls
    assert seen.first == pytest.approx(2.0 - 0.01 * 4.5)
    assert seen.lowest == pytest.approx(2.0 - 0.01 * 94.5)
    assert seen.drop == pytest.approx(0.75)


def test_course_of_a_flat_loss() -> None:
    seen = course(scenarios.around(1.0, 200, 0.1))
    assert seen is not None
    assert not seen.still_falls
    assert course([1.0] * 5 + [math.nan] * 40) is None


def test_entropies() -> None:
    assert entropy([1, 1, 1, 1]) == pytest.approx(math.log(4))
    assert entropy([5, 0]) == 0.0
    assert entropy([]) == 0.0
    assert label_entropy({"0": 3, "1": 3, "-100": 50}, -100) == pytest.approx((math.log(2), 0.0))
    # 90 labels of surprisal -ln 0.9 and 10 of -ln 0.1
    assert label_entropy({"0": 90, "1": 10}, None)[1] == pytest.approx(0.3 * math.log(9) / 10)
    assert label_entropy({}, None) == (0.0, 0.0)


def test_the_floor_of_softmax_twice() -> None:
    # By definition: cross-entropy of the scores (1, 0, 0, 0) for class 0.
    scores = [1.0, 0.0, 0.0, 0.0]
    assert softmax_twice_floor(4) == pytest.approx(-math.log(math.exp(scores[0]) / sum(map(math.exp, scores))))


@pytest.mark.parametrize(
    ("callee", "shape"),
    [
        ("pandas.core.indexing:__getitem__", "dataframe-row"),
        ("pandas.io.parsers.readers:read_csv", "reload-file"),
        ("re:sub", "tokenise"),
        ("requests:get", None),
        ("PIL.Image:open", "decode"),
        ("json:load", "reload-file"),
        ("call:open", "reload-file"),
        ("call:subtract", None),
        ("torch.functional:split", None),
        ("avocado:peel", None),
    ],
)
def test_shapes(callee: str, shape: str | None) -> None:
    assert shape_of(callee) == shape


def test_workers_are_counted_with_their_loader(tmp_path: Path) -> None:
    record = scenarios._loader(tmp_path, "row = self.frame", {}, num_workers=2, fetch_ms=0.0, fetch_cpu_ms=0.0, fetched=0)
    for _ in range(2):
        record.process(role="loader-worker", parent_pid=1)
        record.fact(
            "loader",
            "worker",
            {"dataset_cls": "Items", "dataset_module": "__main__", "fetch_ms": 400.0, "fetch_cpu_ms": 300.0, "fetched": 10},
        )
        record.fact("loader_total", "worker", {"weight_ms": 390.0})
        line = {"loader": "worker", "weight_ms": 351.0, "own_ms": 351.0, "in_getitem": True, "callees": {}, "function": "__getitem__"}
        record.fact("loader_line", "worker/x", line, at="row = self.frame")
    record.process(role="loader-worker", parent_pid=77)
    record.fact("loader", "worker", {"dataset_cls": "Items", "dataset_module": "__main__", "fetch_ms": 9e9, "fetched": 1})
    (account,) = loader_accounts(record.run())
    assert account.fetch_per_batch == pytest.approx(40.0)
    assert account.cpu_share == pytest.approx(0.75)
    assert account.item_share == pytest.approx(0.9)
    assert account.wait_per_batch == pytest.approx(80.0)
