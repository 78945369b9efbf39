"""zero_grad stands one level too far out: once an epoch, while the optimizer steps every batch."""
import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--lr", type=float, default=0.05)
args = parser.parse_args()

torch.manual_seed(3)
centers = torch.randn(5, 20)
labels = torch.randint(0, 5, (1000,))
spectra = centers[labels] + 0.6 * torch.randn(1000, 20)

model = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)

for epoch in range(args.epochs):
    optimizer.zero_grad()
    order = torch.randperm(len(labels))
    total = 0.0
    for start in range(0, len(order), 50):
        batch = order[start : start + 50]
        loss = criterion(model(spectra[batch]), labels[batch])
        loss.backward()  # <- missing-zero-grad
        optimizer.step()  # <- missing-zero-grad
        total += loss.item()
    print(f"epoch {epoch + 1}/{args.epochs} loss {total / 20:.4f}")
