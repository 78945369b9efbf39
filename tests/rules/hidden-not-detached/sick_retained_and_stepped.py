"""A forecaster that is given its own state back; retain_graph silences the first error and the optimizer's step makes another."""

# exits: 1
# allows: inplace-modifies-saved
import torch
from torch import nn

torch.manual_seed(3)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 24)
        self.out = nn.Linear(24, 1)

    def forward(self, window, memory):
        for moment in window.unbind(1):
            memory = self.cell(moment, memory)
        return self.out(memory), memory


series = torch.randn(16, 600, 4)
model = Forecaster()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
memory = torch.zeros(16, 24)
for start in range(0, 580, 10):
    guess, memory = model(series[:, start : start + 10], memory)  # <- hidden-not-detached
    loss = (guess - series[:, start + 10, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- hidden-not-detached
    optimizer.step()
