"""Transfer learning: the backbone is frozen on purpose, in evaluation mode, the head is trained."""
import torch
import torch.nn as nn

torch.manual_seed(131)
backbone = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
for p in backbone.parameters():
    p.requires_grad = False
backbone.eval()
model = nn.Sequential(backbone, nn.Linear(64, 4))
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
label = torch.randint(0, 4, (480,))
quadrant = torch.zeros(480, 1, 8, 8)
for i, k in enumerate(label.tolist()):
    r, c = 4 * (k // 2), 4 * (k % 2)
    quadrant[i, 0, r : r + 4, c : c + 4] = 1.0
images = quadrant + 0.3 * torch.randn(480, 1, 8, 8)
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(480).split(32):
        loss = nn.functional.cross_entropy(model(images[rows]), label[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 15:.4f}")
