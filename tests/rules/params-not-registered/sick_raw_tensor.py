"""A learnable temperature and query made as plain tensors that require grad, not as Parameters."""
import torch
import torch.nn as nn


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.project = nn.Linear(dim, dim)
        self.query = torch.randn(dim, requires_grad=True)  # <- params-not-registered
        self.temperature = torch.ones(1, requires_grad=True)  # <- params-not-registered
        self.out = nn.Linear(dim, 2)

    def forward(self, x):
        scores = self.project(x) @ self.query / self.temperature  # <- params-not-registered
        weights = scores.softmax(1).unsqueeze(-1)
        return self.out((weights * x).sum(1))


torch.manual_seed(211)
bags = torch.randn(600, 7, 10)
labels = torch.randint(0, 2, (600,))
bags[torch.arange(600), torch.randint(0, 7, (600,)), 0] += 4.0
bags[:, :, 1] += labels.unsqueeze(1) * 0.7
model = AttentionPool(10)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)  # <- params-not-registered
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        loss = nn.functional.cross_entropy(model(bags[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
