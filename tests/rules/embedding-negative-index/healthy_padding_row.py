"""Padding has a row of its own, number 0."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(2011)
sentences = [torch.randint(1, 51, (n,)) for n in torch.randint(4, 9, (300,)).tolist()]
label = torch.tensor([int(s[0] > 25) for s in sentences])
ids = pad_sequence(sentences, batch_first=True)
model = nn.Sequential(nn.Embedding(51, 12, padding_idx=0), nn.Flatten(), nn.Linear(96, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    for rows in torch.randperm(300).split(20):
        loss = nn.functional.cross_entropy(model(ids[rows]), label[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
