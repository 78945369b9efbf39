"""What the observers put down, on small trainings run through the end-to-end server."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from e2e.client import Server

from doctorch.records.reader import Process, Run


def observed(server: Server, folder: Path, source: str, **options: object) -> Process:
    script = folder / "train.py"
    script.write_text(textwrap.dedent(source), encoding="utf-8")
    ran = server.run(script, **options)  # type: ignore[arg-type]
    assert ran.record is not None, ran.said
    run = Run(ran.record)
    assert run.main is not None, ran.said
    assert run.main.meta["failures"] == [], run.main.meta["failures"]
    return run.main


HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(64, 6), torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
"""


def script(body: str) -> str:
    return HEAD + textwrap.dedent(body)


def test_a_plain_loop(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(100):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(repr(loss.item()))
        """),
    )
    assert process.n_steps == process.steps.count == 100
    assert list(process.steps["backwards"]) == [1.0] * 100
    optimizer = process.fact("optimizer", 0)
    assert optimizer is not None
    assert optimizer["steps"] == 100
    assert optimizer["stale_steps"] == optimizer["cleared_steps"] == optimizer["empty_steps"] == 0
    assert optimizer["grad_steps"] == optimizer["stale_checked"] + 1
    assert [g["lr"] for g in optimizer["groups"]] == [0.1]
    backward = process.facts("backward")[0]
    assert backward["reached_min"] == backward["reached_max"] == backward["used_max"] == 4
    losses = process.steps.losses()
    assert len(losses) == 100
    assert losses[0][1] > losses[-1][1]
    parts = process.steps
    for i in range(100):
        inside = parts["wait_ms"][i] + parts["forward_ms"][i] + parts["backward_ms"][i] + parts["optimizer_ms"][i]
        assert inside <= parts["duration_ms"][i] * 1.001


def test_a_turn_with_two_optimizers_is_one_step(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        head = nn.Linear(3, 1)
        first, second = torch.optim.Adam(model.parameters()), torch.optim.Adam(head.parameters())
        for step in range(40):
            second.zero_grad(); head(model(x).detach()).mean().backward(); second.step()
            first.zero_grad(); head(model(x)).mean().backward(); first.step()
        """),
    )
    assert process.n_steps == 40
    assert list(process.steps["backwards"]) == [2.0] * 40
    by_line = {fact.line: fact["deep"] for fact in process.facts("backward")}
    assert len(by_line) == 2
    assert all(by_line.values()), "each backward call is looked at"


def test_the_optimizer_that_steps_most_often_closes_the_steps(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        head = nn.Linear(3, 1)
        critic, actor = torch.optim.Adam(head.parameters()), torch.optim.Adam(model.parameters())
        for step in range(50):
            critic.zero_grad(); head(model(x).detach()).mean().backward(); critic.step()
            if step % 5 == 4:
                actor.zero_grad(); head(model(x)).mean().backward(); actor.step()
        """),
    )
    assert process.n_steps == 50


def test_two_trainings_one_after_the_other(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        def fit(net, steps):
            optimizer = torch.optim.Adam(net.parameters())
            for step in range(steps):
                optimizer.zero_grad(); F.cross_entropy(net(x), y).backward(); optimizer.step()
        fit(model, 90)
        fit(nn.Linear(6, 3), 30)
        """),
    )
    assert 118 <= process.n_steps <= 120


def test_accumulation_is_one_step_of_many_backwards(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(30):
            for part in range(4):
                (F.cross_entropy(model(x[part::4]), y[part::4]) / 4).backward()
            optimizer.step()
            optimizer.zero_grad()
        """),
    )
    optimizer = process.fact("optimizer", 0)
    assert optimizer is not None
    assert list(process.steps["backwards"]) == [4.0] * 30
    assert optimizer["stale_steps"] == 0
    assert optimizer["stale_checked"] > 0


@pytest.mark.parametrize(
    "clearing",
    [
        "optimizer.zero_grad()",
        "optimizer.zero_grad(set_to_none=False)",
        "model.zero_grad()",
        "[setattr(p, 'grad', None) for p in model.parameters()]",
        "[p.grad.zero_() for p in model.parameters() if p.grad is not None]",
        "[p.grad.data.zero_() for p in model.parameters() if p.grad is not None]",
        "[p.grad.detach_().zero_() for p in model.parameters() if p.grad is not None]",
    ],
)
def test_every_way_of_clearing_counts(server: Server, tmp_path: Path, clearing: str) -> None:
    process = observed(
        server,
        tmp_path,
        script(f"""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(40):
            {clearing}
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        """),
    )
    optimizer = process.fact("optimizer", 0)
    assert optimizer is not None
    assert optimizer["stale_steps"] == 0
    assert optimizer["empty_steps"] == 0


def test_left_over_gradients_are_seen_and_read(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(200):
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        """),
    )
    optimizer = process.fact("optimizer", 0)
    assert optimizer is not None
    assert optimizer["stale_steps"] == optimizer["stale_checked"] > 20
    assert optimizer["stale_nonzero"] >= 1


def test_a_closure_runs_backward_inside_the_step(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
        def closure():
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss
        for step in range(6):
            optimizer.step(closure)
        """),
    )
    assert process.n_steps == 6
    assert all(n >= 5 for n in process.steps["backwards"])
    assert process.facts("backward")[0]["deep"] >= 1


def test_a_hand_written_update_has_steps_too(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        """
        import torch
        w = torch.zeros(5, requires_grad=True)
        x = torch.randn(20, 5)
        for step in range(25):
            loss = (x @ w - 1).pow(2).mean()
            loss.backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad = None
        """,
    )
    assert process.n_steps == 25


def test_steps_option_ends_cleanly(server: Server, tmp_path: Path) -> None:
    script_path = tmp_path / "train.py"
    script_path.write_text(
        script("""
        import atexit
        atexit.register(print, "atexit ran")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        try:
            for step in range(1000):
                optimizer.zero_grad(); F.cross_entropy(model(x), y).backward(); optimizer.step()
        finally:
            print("finally ran", step)
        """),
        encoding="utf-8",
    )
    ran = server.run(script_path, steps=7)
    assert ran.code == 0, ran.said
    assert ran.stdout == b"finally ran 6\natexit ran\n"
    assert ran.record is not None
    main = Run(ran.record).main
    assert main is not None
    assert main.n_steps == 7


def test_the_line_of_a_cut_and_of_a_softmax(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(5):
            probabilities = torch.softmax(model(x), dim=1)   # LINE softmax
            loss = F.cross_entropy(probabilities, y)
            cut = loss.detach()                              # LINE detach
            optimizer.zero_grad(); loss.backward(); optimizer.step()
        """),
    )
    lines = {
        name: number
        for number, text in enumerate((tmp_path / "train.py").read_text(encoding="utf-8").splitlines(), 1)
        for name in ("softmax", "detach")
        if f"LINE {name}" in text
    }
    loss = process.facts("loss_call")[0]
    assert loss["softmax_site"]["line"] == lines["softmax"]
    assert loss["rows_sum_one"] == loss["rows"] > 0
    cuts = {fact["op"]: fact.line for fact in process.facts("graph_cut")}
    assert cuts == {"detach": lines["detach"]}, "autograd's own detaching of saved outputs is none of the script's"


def test_an_exception_comes_with_its_line_and_shapes(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        def forward(a, b):
            return a @ b
        model(x)
        forward(x, torch.zeros(5, 2))
        """),
    )
    exception = process.facts("exception")[0]
    assert exception["type"] == "RuntimeError"
    assert {name: t["shape"] for name, t in exception["tensors"].items()} == {"a": [64, 6], "b": [5, 2]}
    assert [s["function"] for s in exception["stack"]] == ["<module>", "forward"]


def test_our_frames_are_not_in_the_traceback(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        script("""
        class Net(nn.Module):
            def forward(self, v):
                try:
                    return F.cross_entropy(v, torch.full((64,), 7))
                except IndexError as error:
                    raise ValueError("wrapped") from error
        Net()(model(x))
        """),
        encoding="utf-8",
    )
    ran = server.run(path)
    plain = server.run(path, observe=False)
    assert ran.stderr == plain.stderr
    assert b"doctorch" not in ran.stderr


def test_files_read_are_noted_and_nothing_else(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    process = observed(
        server,
        tmp_path,
        f"""
        import torch
        from pathlib import Path
        rows = open({str(tmp_path / "data.csv")!r}).read()
        Path({str(tmp_path / "data.csv")!r}).read_text()
        open({str(tmp_path / "out.txt")!r}, "w").write("x")
        """,
    )
    files = process.facts("file_open")
    assert [(Path(f["path"]).name, f["count"], f.line) for f in files] == [("data.csv", 2, 4)]


def test_deep_looks_end_when_code_is_compiled(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(12):
            optimizer.zero_grad(); F.cross_entropy(compiled(x), y).backward(); optimizer.step()
        """),
    )
    assert process.n_steps == 12
    assert "deep-off: torch.compile" in process.meta["notes"]
    assert not process.meta.get("deep_segments")


def test_environment_is_an_allow_list(server: Server, tmp_path: Path) -> None:
    process = observed(server, tmp_path, "import torch", env={"MY_SECRET_TOKEN": "hunter2", "OMP_NUM_THREADS": "1"})
    everything = process.path.read_bytes()
    assert b"hunter2" not in everything
    assert process.meta["environment"].get("OMP_NUM_THREADS") == "1"


def test_bounds_are_taken_before_a_copy_and_used_at_the_operator(server: Server, tmp_path: Path) -> None:
    """The path of an accelerator, driven by hand on CPU tensors: no device is here."""
    process = observed(
        server,
        tmp_path,
        """
        import torch
        from doctorch.observe import indices
        from doctorch.observe.recorder import current
        recorder = current()
        ids = torch.tensor([[1, 2], [7, 3]])
        on_device = ids.clone()
        indices.copied(ids, on_device)
        indices.before_device_operator(recorder, "embedding", on_device, 7, sampled=False, extra={"module": "emb"})
        indices.before_device_operator(recorder, "embedding", on_device, 8, sampled=False)
        labels = torch.tensor([0, -100, 2])
        indices.copied(labels, labels)
        indices.before_device_operator(recorder, "cross_entropy", labels, 3, sampled=False, ignore=-100)
        computed = ids + 1
        indices.before_device_operator(recorder, "embedding_bag", computed, 8, sampled=True)
        indices.before_device_operator(recorder, "embedding_bag", ids + 2, 4, sampled=False)
        """,
    )
    found = {fact["function"]: fact for fact in process.facts("index_error")}
    assert set(found) == {"embedding", "embedding_bag"}
    assert (found["embedding"]["size"], found["embedding"]["max"], found["embedding"]["raised"]) == (7, 7, False)
    assert found["embedding"]["module"] == "emb"
    assert (found["embedding_bag"]["size"], found["embedding_bag"]["max"]) == (8, 8)


def test_workers_report_the_line_that_takes_the_time(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        textwrap.dedent("""
        import torch
        from torch.utils.data import DataLoader, Dataset

        class Squares(Dataset):
            def __len__(self):
                return 24
            def __getitem__(self, i):
                total = 0
                for k in range(60000):
                    total += k * i
                return torch.tensor(float(total))

        for batch in DataLoader(Squares(), batch_size=4, num_workers=2):
            pass
        """),
        encoding="utf-8",
    )
    ran = server.run(path)
    assert ran.record is not None, ran.said
    workers = [p for p in Run(ran.record).processes if p.role == "loader-worker"]
    assert len(workers) == 2
    for worker in workers:
        assert worker.facts("loader")[0]["fetched"] == 3
        weights = {fact.line: fact["weight_ms"] for fact in worker.facts("loader_line") if fact["in_getitem"]}
        assert max(weights, key=weights.__getitem__) in (10, 11)


def test_an_evaluation_is_not_looked_at_forever(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        for step in range(9000):
            model(x)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(10):
            optimizer.zero_grad(); F.cross_entropy(model(x), y).backward(); optimizer.step()
        """),
    )
    assert process.n_steps == 10
    assert process.facts("backward")[0]["deep"] >= 1
    total = process.fact("segment", "all")
    assert total is not None
    assert total["ops"] < 50
    lines = {fact.line: fact["ops"] for fact in process.facts("line_ops")}
    assert max(lines.values()) < 50, "the evaluation was given up before its segment ended"


@pytest.mark.parametrize(
    "clearing",
    ["optimizer.zero_grad(set_to_none=False)", "model.zero_grad(set_to_none=False)", "[p.grad.zero_() for p in model.parameters()]"],
)
def test_gradients_zeroed_in_place_before_the_step(server: Server, tmp_path: Path, clearing: str) -> None:
    process = observed(
        server,
        tmp_path,
        script(f"""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(40):
            F.cross_entropy(model(x), y).backward()
            {clearing}
            optimizer.step()
        """),
    )
    optimizer = process.fact("optimizer", 0)
    assert optimizer is not None
    assert optimizer["cleared_steps"] >= 0.9 * optimizer["cleared_checked"]
    assert optimizer["empty_steps"] > 9 * optimizer["grad_steps"]


@pytest.mark.parametrize(
    "start", ["pass", "nn.init.zeros_(model[0].weight); nn.init.constant_(model[0].bias, -50.0); model[2].bias = None"]
)
def test_clipping_is_no_clearing(server: Server, tmp_path: Path, start: str) -> None:
    process = observed(
        server,
        tmp_path,
        script(f"""
        {start}
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(40):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.01)
            optimizer.step()
        """),
    )
    optimizer = process.fact("optimizer", 0)
    assert optimizer is not None
    assert optimizer["cleared_steps"] == optimizer["empty_steps"] == 0


def test_a_part_that_learns_now_and_then_had_a_gradient(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        head = nn.Linear(3, 3)
        optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
        for step in range(90):
            with torch.set_grad_enabled(step == 80):
                h = model(x)
            optimizer.zero_grad()
            F.cross_entropy(head(h), y).backward()
            optimizer.step()
        """),
    )
    had = {fact["name"]: fact["had_grad"] for fact in process.facts("param") if fact["name"]}
    assert had
    assert all(had.values())


def test_a_step_that_raised_does_not_hide_later_steps(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        broken = torch.optim.SGD(model.parameters(), lr=0.1)
        def closure():
            raise ValueError("no loss today")
        try:
            broken.step(closure)
        except ValueError:
            pass
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(20):
            optimizer.zero_grad(); F.cross_entropy(model(x), y).backward(); optimizer.step()
        """),
    )
    assert process.n_steps == 20
    counts = {fact.key: fact["steps"] for fact in process.facts("optimizer")}
    assert counts == {"0": 0, "1": 20}


def test_an_optimizer_inside_another_counts_once(server: Server, tmp_path: Path) -> None:
    process = observed(
        server,
        tmp_path,
        script("""
        class Outer(torch.optim.Optimizer):
            def __init__(self, params):
                params = list(params)
                super().__init__(params, {})
                self.inner = torch.optim.SGD(params, lr=0.1)
            def step(self, closure=None):
                self.inner.step()
        optimizer = Outer(model.parameters())
        for step in range(20):
            optimizer.zero_grad(); F.cross_entropy(model(x), y).backward(); optimizer.step()
        """),
    )
    assert process.n_steps == 20
