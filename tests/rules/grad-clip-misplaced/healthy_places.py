"""At the right place: plain, with a scaler, and at each micro-batch."""
import torch
import torch.nn as nn

torch.manual_seed(69)
x = torch.randn(600, 8)
y = x[:, :4].argmax(1)
for way in ("plain", "scaler", "accumulated"):
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, enabled=way == "scaler")
    for epoch in range(5):
        for i, rows in enumerate(torch.randperm(600).split(30), 1):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            scaler.scale(loss / (2 if way == "accumulated" else 1)).backward()
            if way == "scaler":
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            if way != "accumulated" or i % 2 == 0:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
    print(way, loss.item())
