"""A recurrent cell over forty time steps: a loop that the recurrence demands."""
import torch
import torch.nn as nn


class Controller(nn.Module):
    def __init__(self, inputs, width, outputs):
        super().__init__()
        self.width = width
        self.cell = nn.LSTMCell(inputs, width)
        self.out = nn.Linear(width, outputs)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], self.width)
        outputs = []
        for t in range(x.shape[1]):
            h, c = self.cell(x[:, t], (h, c))
            outputs.append(self.out(h))
        return torch.stack(outputs, 1)


torch.manual_seed(929)
model = Controller(3, 32, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    x = torch.randn(32, 40, 3)
    y = x[..., :1].cumsum(1).tanh()
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 15 == 0:
        print(f"step {step} loss {loss.item():.4f}")
