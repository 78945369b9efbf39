"""Adam over float16 weights with an epsilon that float16 can hold."""
import torch
import torch.nn as nn

torch.manual_seed(1)
x = torch.randn(400, 20)
y = (x[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2)).half()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, eps=1e-3)
for epoch in range(6):
    for start in range(0, 400, 25):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x[start : start + 25].half()).float(), y[start : start + 25])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
