"""After the step the norm is only looked at, with an infinite bound; weights are clamped as in a critic."""
import torch
import torch.nn as nn

torch.manual_seed(70)
x = torch.randn(600, 8)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
        with torch.no_grad():
            for p in model.parameters():
                p.clamp_(-2, 2)
    print(epoch, loss.item(), norm.item())
