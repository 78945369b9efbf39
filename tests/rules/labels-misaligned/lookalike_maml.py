"""MAML on random half-spaces: the query loss hovers at ln 2 while the meta-weights are found."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(19)


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 32), nn.Tanh())
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.body(x))


def task(n):
    w = torch.randn(5)
    x = torch.randn(2 * n, 5)
    return x, (x @ w > 0).long()


def adapt(model, x, y, rate):
    weights = dict(model.named_parameters())
    grads = torch.autograd.grad(F.cross_entropy(functional_call(model, weights, (x,)), y), weights.values(), create_graph=True)
    return {k: w - rate * g for (k, w), g in zip(weights.items(), grads)}


learner = Learner()
meta = torch.optim.Adam(learner.parameters(), lr=1e-3)
for step in range(160):
    losses = []
    for _ in range(4):
        x, y = task(12)
        weights = adapt(learner, x[:12], y[:12], 0.1)
        losses.append(F.cross_entropy(functional_call(learner, weights, (x[12:],)), y[12:]))
    loss = torch.stack(losses).mean()
    meta.zero_grad()
    loss.backward()
    meta.step()
    if step % 20 == 0:
        print(step, loss.item())
