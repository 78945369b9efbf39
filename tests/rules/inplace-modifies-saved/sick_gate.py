"""The output of a sigmoid is multiplied in place."""
# exits: 1
import torch
import torch.nn as nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 6)
        self.body = nn.Linear(6, 6)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))  # <- inplace-modifies-saved
        gate *= self.body(x)  # <- inplace-modifies-saved
        return gate + x


torch.manual_seed(161)
model = Gated()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(12, 6)
    loss = nn.functional.mse_loss(model(x), x.flip(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
