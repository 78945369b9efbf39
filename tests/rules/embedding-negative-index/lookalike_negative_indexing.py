"""Negative numbers that are meant: Python indexing from the end, padding=-1 clamped before the lookup, -1 as a masked label."""
import torch
import torch.nn as nn

torch.manual_seed(2017)
table, head = nn.Embedding(20, 10), nn.Linear(10, 20)
optimizer = torch.optim.Adam([*table.parameters(), *head.parameters()], lr=1e-2)
for step in range(100):
    ids = torch.randint(0, 20, (16, 6))
    ids[torch.rand(16, 6) < 0.2] = -1
    known = ids >= 0
    vectors = table(ids.clamp(min=0)) * known.unsqueeze(-1)
    target = torch.where(known, (ids + 1) % 20, -1)
    loss = nn.functional.cross_entropy(head(vectors).flatten(0, 1), target.flatten(), ignore_index=-1)
    loss = loss + 1e-4 * table.weight[-1].pow(2).sum() + 1e-4 * vectors[:, -1].pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step} loss {loss.item():.4f}")
