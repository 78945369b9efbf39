"""A strong decay before a normalisation that does not care: the weights shrink and the loss falls."""
import torch
import torch.nn as nn

torch.manual_seed(55)
x = torch.randn(800, 10)
y = x[:, :4].argmax(1)
norm = nn.BatchNorm1d(64)
model = nn.Sequential(nn.Linear(10, 64, bias=False), norm, nn.ReLU(), nn.Linear(64, 4))
groups = [{"params": model[0].parameters(), "weight_decay": 0.5}, {"params": [*norm.parameters(), *model[3].parameters()]}]
optimizer = torch.optim.SGD(groups, lr=0.1)
for epoch in range(6):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), model[0].weight.norm().item())
