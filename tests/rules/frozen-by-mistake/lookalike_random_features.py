"""A reservoir that stays as it is under a layer that learns, and adapters on a base that was not loaded."""
import torch
import torch.nn as nn

torch.manual_seed(111)


class Reservoir(nn.Module):
    def __init__(self):
        super().__init__()
        self.core = nn.RNN(3, 200, batch_first=True)
        self.core.requires_grad_(False)
        self.out = nn.Linear(200, 1)

    def forward(self, x):
        return self.out(self.core(x)[0][:, -1])


class Adapted(nn.Module):
    def __init__(self, wide, out):
        super().__init__()
        self.base = nn.Linear(wide, out)
        self.down, self.up = nn.Parameter(0.1 * torch.randn(8, wide)), nn.Parameter(torch.zeros(out, 8))

    def forward(self, x):
        return self.base(x) + x @ self.down.T @ self.up.T


adapted = nn.Sequential(Adapted(24, 64), nn.ReLU(), Adapted(64, 1))
for name, p in adapted.named_parameters():
    if "base" in name:
        p.requires_grad = False
x = torch.randn(600, 8, 3)
y = x[:, -1].sum(1, keepdim=True)
for model, data in ((Reservoir(), x), (adapted, x.flatten(1))):
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    for epoch in range(6):
        for rows in torch.randperm(600).split(30):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(data[rows]), y[rows])
            loss.backward()
            optimizer.step()
    print(loss.item())
