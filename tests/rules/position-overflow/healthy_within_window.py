"""Sequences as long as the table, none longer."""
import torch
import torch.nn as nn

torch.manual_seed(2211)
tokens, positions, rnn, out = nn.Embedding(20, 16), nn.Embedding(16, 16), nn.GRU(16, 24, batch_first=True), nn.Linear(24, 20)
optimizer = torch.optim.Adam([p for m in (tokens, positions, rnn, out) for p in m.parameters()], lr=5e-3)
for step in range(80):
    ids = (torch.randint(0, 20, (16, 1)) + 3 * torch.arange(17)) % 20
    h = tokens(ids[:, :-1]) + positions(torch.arange(16))
    loss = nn.functional.cross_entropy(out(rnn(h)[0]).transpose(1, 2), ids[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
