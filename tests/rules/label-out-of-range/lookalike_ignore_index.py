"""Padding labels that the losses are told to ignore: -1, 255 and the default -100."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(823)
embed, rnn = nn.Embedding(30, 16), nn.GRU(16, 24, batch_first=True)
heads = nn.ModuleList(nn.Linear(24, n) for n in (3, 5, 2))
void_loss = nn.CrossEntropyLoss(ignore_index=255)
optimizer = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *heads.parameters()], lr=5e-3)
for step in range(100):
    ids = torch.randint(0, 30, (16, 12))
    length = torch.randint(6, 13, (16, 1))
    padded = torch.arange(12) >= length
    h, _ = rnn(embed(ids))
    first = F.cross_entropy(heads[0](h).flatten(0, 1), (ids % 3).masked_fill(padded, -1).flatten(), ignore_index=-1)
    second = void_loss(heads[1](h).transpose(1, 2), (ids % 5).masked_fill(padded, 255))
    third = F.nll_loss(heads[2](h).log_softmax(-1).flatten(0, 1), (ids % 2).masked_fill(padded, -100).flatten())
    loss = first + second + third
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step} loss {loss.item():.4f}")
