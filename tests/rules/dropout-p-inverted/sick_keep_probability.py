"""A probability to keep, handed to nn.Dropout."""
# allows: loss-plateau
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, keep=0.9):
        super().__init__()
        self.body = nn.Linear(12, 64)
        self.drop = nn.Dropout(p=keep)  # <- dropout-p-inverted
        self.out = nn.Linear(64, 4)

    def forward(self, x):
        return self.out(self.drop(torch.relu(self.body(x))))


torch.manual_seed(141)
centres = torch.randn(4, 12)
model = Head()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    y = torch.randint(0, 4, (32,))
    loss = nn.functional.cross_entropy(model(centres[y] + 0.5 * torch.randn(32, 12)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
