"""In-place operators that no backward minds."""
import torch
import torch.nn as nn

torch.manual_seed(164)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(inplace=True), nn.Linear(32, 32), nn.ReLU(inplace=True), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(80):
    x = torch.randn(32, 6)
    scores = model(x)
    scores += 0.1
    loss = nn.functional.cross_entropy(scores, (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
