"""Pure bfloat16 with updates that are large enough."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2)).to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
for epoch in range(4):
    for start in range(0, 640, 32):
        loss = nn.functional.cross_entropy(model(x[start : start + 32].bfloat16()).float(), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
