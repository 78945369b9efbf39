"""Binary cross-entropy on grey pixels: it starts at ln 2, and its floor, the entropy of grey, is not far below."""
import torch
import torch.nn as nn

torch.manual_seed(1667)
patterns = torch.rand(6, 64)
kind = torch.randint(0, 6, (1200,))
images = (0.25 + 0.5 * patterns[kind] + 0.02 * torch.randn(1200, 64)).clamp(0, 1)
model = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 6), nn.ReLU(), nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 64), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.BCELoss()
for epoch in range(8):
    total = error = 0.0
    for rows in torch.randperm(1200).split(40):
        output = model(images[rows])
        loss = criterion(output, images[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        error += (output.detach() - images[rows]).abs().mean().item()
    print(f"epoch {epoch} bce {total / 30:.4f} error {error / 30:.4f}")
