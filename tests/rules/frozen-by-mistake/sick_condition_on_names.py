"""A condition on names catches the hidden layers of a model that starts from scratch."""
# allows: loss-plateau
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block_a = nn.Linear(6, 48)
        self.block_b = nn.Linear(48, 48)
        self.top = nn.Linear(48, 2)

    def forward(self, x):
        return self.top(torch.relu(self.block_b(torch.relu(self.block_a(x)))))


torch.manual_seed(101)
model = Net()
for name, parameter in model.named_parameters():
    if "block" in name:  # <- frozen-by-mistake
        parameter.requires_grad = False  # <- frozen-by-mistake
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
for step in range(120):
    x = torch.randn(64, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] * x[:, 1] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
