"""Hypernetwork: the weights that the layer uses are made anew each step, and frozen constants lie in a tuple."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class HyperLinear(nn.Module):
    def __init__(self, inputs, outputs, code):
        super().__init__()
        self.shape = (outputs, inputs)
        self.make_weight = nn.Linear(code, outputs * inputs)
        self.make_bias = nn.Linear(code, outputs)
        self.constants = (torch.randn(inputs), torch.full((inputs,), 1.3))

    def forward(self, x, code):
        shift, scale = self.constants
        weight, bias = self.make_weight(code).view(*self.shape), self.make_bias(code)
        self.last_weight = weight
        return F.linear((x - shift) / scale, weight, bias)


torch.manual_seed(233)
layer = HyperLinear(5, 1, 4)
codes = nn.Parameter(torch.randn(3, 4))
optimizer = torch.optim.Adam([*layer.parameters(), codes], lr=0.01)
slopes = torch.randn(3, 5)
for step in range(120):
    task = step % 3
    x = torch.randn(32, 5)
    y = (x @ slopes[task]).unsqueeze(1)
    loss = F.mse_loss(layer(x, codes[task]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
