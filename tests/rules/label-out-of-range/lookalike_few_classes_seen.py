"""A head of 100 classes of which these data show only a few, and scripted code that computes its own loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, inputs: int, classes: int):
        super().__init__()
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(self.fc(x), y)


torch.manual_seed(829)
head = torch.jit.script(Head(12, 100))
optimizer = torch.optim.Adam(head.parameters(), lr=0.02)
y = torch.randint(0, 4, (600,)) * 20
x = torch.randn(100, 12)[y] + 0.3 * torch.randn(600, 12)
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        loss = head(x[rows], y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
