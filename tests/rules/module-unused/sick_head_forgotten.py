"""A layer that forward never calls, three classes deep."""
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.shortcut = nn.Linear(size, size)  # <- module-unused

    def forward(self, x):
        return torch.relu(self.inner(x)) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 16)
        self.block = Block(16)
        self.out = nn.Linear(16, 3)

    def forward(self, x):
        return self.out(self.block(torch.relu(self.first(x))))


torch.manual_seed(222)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
