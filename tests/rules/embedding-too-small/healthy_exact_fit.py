"""The table is exactly as large as the vocabulary with its padding; the largest index is the last row."""
import torch
import torch.nn as nn

torch.manual_seed(727)
vocab = {"<pad>": 0, "<unk>": 1, **{f"w{i}": i + 2 for i in range(48)}}
ids = torch.randint(0, len(vocab), (600, 10))
ids[0, 0] = len(vocab) - 1
y = ((ids > 25).sum(1) > 5).long()
model = nn.Sequential(nn.Embedding(len(vocab), 16, padding_idx=0), nn.Flatten(), nn.Linear(160, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        loss = nn.functional.cross_entropy(model(ids[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
