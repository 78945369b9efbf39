import torch, torch.nn as nn

torch.manual_seed(14)
x = torch.randn(1500, 8)
level = (x[:, :3].sum(1) + 0.3 * torch.randn(1500)).div(0.9).round().clamp(-2, 2).long() + 2


class Ordinal(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1, bias=False))
        self.cuts = nn.Parameter(torch.linspace(-2, 2, classes - 1))

    def forward(self, x):
        return self.score(x) - self.cuts


model = Ordinal()
opt = torch.optim.NAdam(model.parameters(), 3e-3)
for epoch in range(8):
    for at in torch.randperm(1200).split(40):
        above = (level[at][:, None] > torch.arange(4)).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[at]), above)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        guess = (model(x[1200:]) > 0).sum(1)
    print(epoch, loss.item(), (guess - level[1200:]).abs().float().mean().item())
