"""A frozen feature network is hidden in a list on purpose, so that it stays out of the state dict."""
import torch
import torch.nn as nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(), nn.Conv1d(16, 1, 5, padding=2))
        judge = nn.Sequential(nn.Conv1d(1, 8, 3, padding=1), nn.ReLU())
        self._judge = [judge.requires_grad_(False).eval()]

    def forward(self, noisy):
        return noisy - self.net(noisy)

    def loss(self, noisy, clean):
        output = self(noisy)
        judge = self._judge[0]
        return (output - clean).pow(2).mean() + 0.1 * (judge(output) - judge(clean)).pow(2).mean()


torch.manual_seed(227)
model = Denoiser()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
t = torch.linspace(0, 12.56, 64)
for step in range(80):
    clean = torch.sin(t + 6.28 * torch.rand(16, 1)).unsqueeze(1)
    loss = model.loss(clean + 0.5 * torch.randn_like(clean), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
