"""The head is replaced after the optimizer was made, and its tensors are added as a group; the old ones stay in it unused."""
import torch
import torch.nn as nn

torch.manual_seed(24)
x = torch.randn(600, 8)
y = x[:, :5].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model[2] = nn.Linear(32, 5)
optimizer.add_param_group({"params": model[2].parameters()})
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
