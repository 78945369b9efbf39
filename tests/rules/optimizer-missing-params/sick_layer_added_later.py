"""A gating layer is attached after the optimizer was built, so the optimizer does not know it."""
import torch
import torch.nn as nn

torch.manual_seed(109)


class Forecaster(nn.Module):
    def __init__(self, horizon=4):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(2, 16, 5, padding=2), nn.ReLU(), nn.Conv1d(16, 16, 5, padding=2), nn.ReLU())
        self.out = nn.Linear(16, horizon)
        self.gate = None

    def forward(self, x):
        h = self.conv(x).mean(2)
        if self.gate is not None:
            h = h * torch.sigmoid(self.gate(h))
        return self.out(h)


t = torch.arange(0, 60.0, 0.1)
wave = torch.stack([torch.sin(t), torch.cos(0.5 * t)])
windows = wave.unfold(1, 24, 1)[:, :-4].transpose(0, 1)
future = torch.stack([wave[0, i + 24 : i + 28] for i in range(len(windows))])

model = Forecaster()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)  # <- optimizer-missing-params
model.gate = nn.Linear(16, 16)  # <- optimizer-missing-params

for epoch in range(4):
    total, n = 0.0, 0
    for rows in torch.randperm(len(windows)).split(40):
        optimizer.zero_grad(set_to_none=True)
        loss = (model(windows[rows]) - future[rows]).abs().mean()
        loss.backward()
        optimizer.step()
        total, n = total + loss.item(), n + 1
    print(f"epoch {epoch} mae {total / n:.4f}")
