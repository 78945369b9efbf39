"""Each fold saves its weights, loads them for the test, and the next begins with a new model."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(300, 10)
y = (x[:, 0] > 0).long()
for fold in range(3):
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    test = torch.arange(fold * 100, fold * 100 + 100)
    rest = torch.tensor([i for i in range(300) if i // 100 != fold])
    for epoch in range(10):
        for rows in rest[torch.randperm(200)].split(25):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.save(model.state_dict(), f"fold{fold}.pt")
    model.load_state_dict(torch.load(f"fold{fold}.pt"))
    with torch.no_grad():
        print(fold, (model(x[test]).argmax(1) == y[test]).float().mean().item())
