"""A hand-written ReLU recurrence whose weight enlarges, over forty steps, without clipping."""
# accepts: init-scale
# allows: loss-diverges, lr-too-high, loss-plateau, exp-overflow, dead-relu

import torch
from torch import nn


class Recurrence(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.again = nn.Linear(width, width, bias=False)
        nn.init.normal_(self.again.weight, std=0.45)  # <- exploding-gradients, init-scale
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], self.again.in_features)
        for t in range(x.shape[1]):
            h = torch.relu(self.enter(x[:, t]) + self.again(h))
        return self.out(h).squeeze(1)


torch.manual_seed(0)
model = Recurrence(2, 24)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(60):
    x = torch.rand(32, 40, 2)
    loss = nn.functional.mse_loss(model(x), x[:, :, 0].mean(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
