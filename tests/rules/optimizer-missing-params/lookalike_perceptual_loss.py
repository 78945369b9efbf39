"""Upscaling with a perceptual loss: the judge network is in eval mode, not frozen, and not meant to learn."""
import torch
from torch import nn
from torch.nn import functional as F


class PerceptualLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1, stride=2), nn.ReLU()).eval()

    def forward(self, output, target):
        return F.l1_loss(self.net(output), self.net(target).detach())


def main():
    torch.manual_seed(139)
    perceptual = PerceptualLoss()
    upscaler = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 4, 3, padding=1), nn.PixelShuffle(2))
    optimizer = torch.optim.Adam(upscaler.parameters(), lr=3e-3)
    axis = torch.linspace(0, 6.28, 16)
    for step in range(80):
        phase, speed = torch.rand(8, 1, 1) * 6.28, torch.randint(1, 3, (8, 1, 1))
        sharp = torch.sin(axis.view(1, 1, 16) * speed + phase + axis.view(1, 16, 1)).unsqueeze(1)
        blurred = F.avg_pool2d(sharp, 2)
        output = upscaler(blurred)
        loss = F.l1_loss(output, sharp) + 0.5 * perceptual(output, sharp)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.4f}")


main()
