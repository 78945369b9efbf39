"""The best weights are loaded for the final test, from a file with everything in it; then a second stage at a lower rate."""

import torch
import torch.nn as nn

torch.manual_seed(3)
x = torch.randn(400, 12)
y = (x @ torch.randn(12, 3)).argmax(1)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))


def stage(rate, epochs):
    best = float("inf")
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for epoch in range(epochs):
        for index in torch.randperm(320).split(32):
            loss = nn.functional.cross_entropy(model(x[index]), y[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            held = nn.functional.cross_entropy(model(x[320:]), y[320:]).item()
        if held < best:
            best = held
            torch.save({"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, "best.pt")
    state = torch.load("best.pt")
    model.load_state_dict(state["model"])
    print(f"best epoch {state['epoch']}: {best:.4f}")


stage(5e-3, 5)
stage(5e-4, 3)
