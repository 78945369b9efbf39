"""Another RuntimeError, in a model that also writes in place."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(165)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(inplace=True), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(20):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
raise RuntimeError("the camera went away")
