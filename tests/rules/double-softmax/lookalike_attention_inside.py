"""Softmax inside the model, over attention and over experts; the scores that reach the loss are logits."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Pool(nn.Module):
    def __init__(self, dim, experts, classes):
        super().__init__()
        self.score = nn.Linear(dim, 1)
        self.gate = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Linear(dim, classes) for _ in range(experts))

    def forward(self, x):
        attention = F.softmax(self.score(x), dim=1)
        pooled = (attention * x).sum(1)
        gate = F.softmax(self.gate(pooled), dim=-1)
        return torch.einsum("be,bec->bc", gate, torch.stack([e(pooled) for e in self.experts], 1))


torch.manual_seed(541)
y = torch.randint(0, 3, (600,))
x = torch.randn(600, 6, 12) + torch.randn(3, 1, 12)[y]
model = Pool(12, 3, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    confident = 0.0
    for rows in torch.randperm(600).split(30):
        logits = model(x[rows])
        loss = criterion(logits, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        confident = logits.softmax(1).max(1).values.mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} confidence {confident:.3f}")
