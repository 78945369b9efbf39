"""A logarithm of zero beside the loss, and one whose operand was made safe before torch.where."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.rand(256, 6)
x[200:230, 3] = 0.0
y = x[:, :1] + x[:, 1:2]
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(4):
    for start in range(0, 256, 16):
        a = x[start : start + 16]
        safe = torch.where(a > 0, a, torch.ones_like(a))
        z = torch.where(a > 0, torch.log(safe), torch.zeros_like(a))
        shown = a.log().nan_to_num(neginf=0.0).mean()
        loss = (net(z) - y[start : start + 16]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), shown.item())
