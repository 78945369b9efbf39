"""Both are brought to size with the training set's numbers."""
import torch
import torch.nn as nn

torch.manual_seed(363)
kind = torch.randint(0, 3, (1500,))
raw = 40 + 12 * (torch.randn(3, 10)[kind] + 0.4 * torch.randn(1500, 10))
x = (raw - raw[:1200].mean(0)) / raw[:1200].std(0)
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), kind[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, loss.item(), (model(x[1200:]).argmax(1) == kind[1200:]).float().mean().item())
