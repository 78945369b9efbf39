"""One line evaluates both: first the training part, then the validation part; and blank rows pad the last batch."""

import torch
import torch.nn as nn

torch.manual_seed(79)
x = torch.randn(1000, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
parts = {"train": (x[:800], y[:800]), "valid": (x[800:], y[800:])}
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)


def padded(batch, size):
    return torch.cat([batch, torch.zeros(size - len(batch), *batch.shape[1:], dtype=batch.dtype)])


for epoch in range(8):
    a, b = parts["train"]
    for at in torch.randperm(800).split(60):
        loss = nn.functional.cross_entropy(net(padded(a[at], 60))[: len(at)], b[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    said = [f"epoch {epoch}"]
    with torch.no_grad():
        for name, (a, b) in parts.items():
            right = 0
            for at in torch.arange(len(a)).split(60):
                right += (net(padded(a[at], 60))[: len(at)].argmax(1) == b[at]).sum().item()
            said.append(f"{name} {right / len(a):.3f}")
    print(" ".join(said))
