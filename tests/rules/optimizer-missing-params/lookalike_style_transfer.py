"""The optimizer holds the image; the network, never frozen, receives gradients that nobody uses."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(137)
features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU()).eval()


def gram(f):
    b, c, h, w = f.shape
    f = f.view(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


content, style = torch.rand(1, 3, 32, 32), torch.rand(1, 3, 32, 32) * torch.linspace(0, 1, 32)
with torch.no_grad():
    content_target, style_target = features(content), gram(features(style))
image = torch.rand_like(content).requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.02)
for step in range(80):
    optimizer.zero_grad()
    f = features(image)
    loss = 20 * F.mse_loss(f, content_target) + 500 * F.mse_loss(gram(f), style_target)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        image.clamp_(0, 1)
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.5f}")
