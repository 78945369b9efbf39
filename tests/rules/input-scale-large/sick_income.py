"""Income in units, age in years and three flags: the first step kills every unit, whatever the labels say."""
# allows: dead-relu, loss-plateau
import torch
import torch.nn as nn

torch.manual_seed(9)
n = 1200
income, age, flags = 30000 + 25000 * torch.rand(n), 18 + 60 * torch.rand(n), torch.randint(0, 2, (n, 3)).float()
x = torch.cat([income[:, None], age[:, None], flags], 1)  # <- input-scale-large
y = ((age > 45) & (flags[:, 0] > 0)).float()
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for epoch in range(8):
    for rows in torch.randperm(n).split(60):
        batch = x[rows]  # <- input-scale-large
        loss = nn.functional.binary_cross_entropy_with_logits(net(batch).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
