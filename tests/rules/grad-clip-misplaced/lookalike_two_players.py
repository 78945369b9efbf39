"""Two optimizers in a turn, each clipped before its own step."""
import torch
import torch.nn as nn

torch.manual_seed(71)
real = torch.randn(640, 2) * 0.5 + torch.tensor([1.0, -1.0])
maker = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
judge = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_m, opt_j = torch.optim.Adam(maker.parameters(), lr=1e-3), torch.optim.Adam(judge.parameters(), lr=1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
for epoch in range(4):
    for rows in torch.randperm(640).split(32):
        fake = maker(torch.randn(32, 4))
        loss_j = bce(judge(real[rows]), torch.ones(32, 1)) + bce(judge(fake.detach()), torch.zeros(32, 1))
        opt_j.zero_grad()
        loss_j.backward()
        nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
        opt_j.step()
        loss_m = bce(judge(fake), torch.ones(32, 1))
        opt_m.zero_grad()
        loss_m.backward()
        nn.utils.clip_grad_norm_(maker.parameters(), 1.0)
        opt_m.step()
    print(epoch, loss_j.item(), loss_m.item())
