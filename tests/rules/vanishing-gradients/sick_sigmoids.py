"""Seven sigmoid layers in a row."""
# allows: loss-plateau, lr-too-low, init-scale, input-scale-small

import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, depth=7, width=40):
        super().__init__()
        self.first = nn.Linear(12, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth - 1))
        self.out = nn.Linear(width, 5)

    def forward(self, x):
        x = torch.sigmoid(self.first(x))  # <- vanishing-gradients
        for layer in self.layers:
            x = torch.sigmoid(layer(x))  # <- vanishing-gradients
        return self.out(x)


torch.manual_seed(0)
centres = torch.randn(5, 12)
model = Deep()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(100):
    y = torch.randint(0, 5, (40,))
    loss = nn.functional.cross_entropy(model(centres[y] + 0.3 * torch.randn(40, 12)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
