"""encode() is decorated for inference and then used by the training step as well."""
import torch
from torch import nn
from torch.nn import functional as F


class SiameseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten())
        self.compare = nn.Sequential(nn.Linear(72, 32), nn.ReLU(), nn.Linear(32, 1))

    @torch.no_grad()  # <- no-grad-forward
    def encode(self, image):
        return self.conv(image)  # <- no-grad-forward

    def forward(self, a, b):
        return self.compare((self.encode(a) - self.encode(b)).abs()).squeeze(1)  # <- no-grad-forward


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.AdamW(net.parameters(), lr=3e-3)

    def step(self, a, b, same):
        loss = F.binary_cross_entropy_with_logits(self.net(a, b), same)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


torch.manual_seed(403)
shapes = torch.randn(8, 1, 9, 9)
trainer = Trainer(SiameseNet())
for epoch in range(4):
    losses = []
    for _ in range(20):
        first = torch.randint(0, 8, (32,))
        second = torch.where(torch.rand(32) < 0.5, first, torch.randint(0, 8, (32,)))
        images = [shapes[k] + 0.2 * torch.randn(32, 1, 9, 9) for k in (first, second)]
        losses.append(trainer.step(*images, (first == second).float()))
    print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f}")
