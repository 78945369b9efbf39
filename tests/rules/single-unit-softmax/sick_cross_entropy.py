"""Cross-entropy on a single unit."""
# allows: loss-plateau
import torch
import torch.nn.functional as F
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 8, 3, padding=1)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(F.relu(self.conv(x)).mean(-1))


def fit(model, steps=60):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(steps):
        x = torch.randn(16, 2, 20)
        loss = F.cross_entropy(model(x), torch.zeros(16, dtype=torch.long))  # <- single-unit-softmax
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print(step, loss.item())


torch.manual_seed(632)
fit(Detector())
