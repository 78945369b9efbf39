import math
import torch, torch.nn as nn

torch.manual_seed(4)
x = torch.rand(2000, 1) * 2 - 1
y = torch.where(torch.rand(2000, 1) < 0.5, x, -x) + 0.05 * torch.randn(2000, 1)


class MDN(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.k, self.body = k, nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 3 * k))

    def forward(self, x):
        pi, mu, log_sigma = self.body(x).chunk(3, 1)
        return torch.distributions.MixtureSameFamily(torch.distributions.Categorical(logits=pi), torch.distributions.Normal(mu, log_sigma.clamp(-5, 2).exp()))


model = MDN()
opt = torch.optim.Adam(model.parameters(), 5e-3)
for epoch in range(8):
    for at in torch.randperm(2000).split(100):
        loss = -model(x[at]).log_prob(y[at].squeeze(1)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
