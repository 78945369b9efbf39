"""How long the training may wait for experiments is the user's to say."""

from __future__ import annotations

from launchbench import Bench

SHORT = """
import torch

model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_the_seconds_reach_the_run(bench: Bench) -> None:
    done = bench.watched("--probe-seconds", "7.5", bench.script(SHORT))
    assert done.code == 0, done.stderr
    assert bench.manifest["options"]["probe_seconds"] == 7.5


def test_less_than_a_second_is_refused(bench: Bench) -> None:
    done = bench.watched("--probe-seconds", "0", bench.script(SHORT))
    assert done.code == 2
    assert b"--probe-seconds" in done.stderr
