"""torch.jit, torch.compile with fullgraph, fx, vmap, func and export: the same results, no graph breaks, no added frames."""

import torch
import torch._dynamo.utils
import torch.nn.functional as F
from torch import nn


class Scripted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 6)
        self.fc = nn.Linear(6, 3)

    def forward(self, ids: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(self.fc(self.embed(ids)), y) + F.mse_loss(self.fc.weight, torch.zeros_like(self.fc.weight))


@torch.jit.script
def scripted_loss(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.nll_loss(F.log_softmax(logits, dim=1), y) + F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


torch.manual_seed(0)
ids, y = torch.randint(0, 10, (12,)), torch.randint(0, 3, (12,))
module = torch.jit.script(Scripted())
optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    loss = module(ids, y)
    loss.backward()
    optimizer.step()
    print("scripted", loss.item().hex())
print("script function", scripted_loss(torch.ones(4, 3), torch.zeros(4).long()).item().hex())
net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
traced = torch.jit.trace(net, torch.ones(2, 4))
print("traced", traced(torch.ones(3, 4)).sum().item().hex())
graph = torch.fx.symbolic_trace(net)
print("fx", graph(torch.ones(3, 4)).sum().item().hex(), [n.op for n in graph.graph.nodes])


class WithLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.table = net, nn.Embedding(5, 4)

    def forward(self, ids, y):
        logits = self.net(self.table(ids))
        return F.cross_entropy(logits, y), logits.softmax(1)


model = WithLoss()
compiled = torch.compile(model, backend="eager", fullgraph=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(5):
    loss, _ = compiled(torch.randint(0, 5, (12,)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("compiled", loss.item().hex())


@torch.compile(backend="eager")
def step(x, y):
    loss = F.smooth_l1_loss(net(x), y)
    loss.backward()
    return loss.detach()


for _ in range(3):
    net.zero_grad()
    print("compiled step", step(torch.randn(6, 4), torch.randn(6, 3)).item().hex())
counters = torch._dynamo.utils.counters
# How many, not why: inside backward dynamo words its reason by the function that it meets first.
print("breaks", sum(counters["graph_break"].values()), "graphs", counters["stats"]["unique_graphs"])
print("frames", sorted(counters["frames"].items()))

params = dict(net.named_parameters())
per_sample = torch.func.vmap(
    torch.func.grad(lambda p, x, t: F.cross_entropy(torch.func.functional_call(net, p, (x[None],)), t[None])), in_dims=(None, 0, 0)
)(params, torch.randn(4, 4), torch.zeros(4).long())
print("per sample", {k: v.pow(2).sum().item().hex() for k, v in per_sample.items()})
exported = torch.export.export(net, (torch.ones(2, 4),))
print("exported", exported.module()(torch.ones(2, 4)).sum().item().hex(), len(list(exported.graph.nodes)))
print("meta", F.cross_entropy(torch.empty(4, 3, device="meta"), torch.empty(4, dtype=torch.long, device="meta")).device)
