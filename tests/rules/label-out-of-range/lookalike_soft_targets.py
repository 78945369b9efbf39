"""Float targets: class probabilities for cross-entropy, 0/1 vectors for several labels at once."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(827)
x = torch.randn(800, 10)
soft = (x[:, :3] * 2).softmax(1)
several = (x[:, 3:8] > 0).float()
body = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
one, many = nn.Linear(32, 3), nn.Linear(32, 5)
optimizer = torch.optim.Adam([*body.parameters(), *one.parameters(), *many.parameters()], lr=5e-3)
for epoch in range(5):
    for rows in torch.randperm(800).split(40):
        h = body(x[rows])
        loss = F.cross_entropy(one(h), soft[rows]) + F.multilabel_soft_margin_loss(many(h), several[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
