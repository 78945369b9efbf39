"""The checkpoint itself holds weights and epoch only."""

import io

import torch
import torch.nn as nn

torch.manual_seed(2)
data = torch.randn(320, 10)
labels = (data[:, 0] * data[:, 1] > 0).float()[:, None]


def run(start, end, stored=None):
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    if stored is not None:
        stored.seek(0)
        checkpoint = torch.load(stored, weights_only=True)  # <- resume-incomplete
        net.load_state_dict(checkpoint["state_dict"])  # <- resume-incomplete
        start = int(checkpoint["epoch"]) + 1
    optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3)
    for epoch in range(start, end):
        for index in torch.randperm(320).split(32):
            loss = nn.functional.binary_cross_entropy_with_logits(net(data[index]), labels[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    file = io.BytesIO()
    torch.save({"state_dict": net.state_dict(), "epoch": epoch}, file)
    return file


run(0, 8, run(0, 4))
