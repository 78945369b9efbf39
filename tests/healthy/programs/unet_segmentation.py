"""Small U-Net: BCE plus dice."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(5)


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False),
        nn.BatchNorm2d(o),
        nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1, bias=False),
        nn.BatchNorm2d(o),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1 = block(1, 8)
        self.d2 = block(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, 2)
        self.u1 = block(16, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        return self.out(self.u1(torch.cat([a, self.up(b)], 1)))


net = UNet()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3, momentum=0.5)
sch = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, "max", patience=2)
g = torch.arange(24).float()
for step in range(60):
    c = 8 + 8 * torch.rand(12, 2)
    r = 3 + 3 * torch.rand(12)
    mask = (((g[None, :, None] - c[:, 0, None, None]) ** 2 + (g[None, None] - c[:, 1, None, None]) ** 2) < r[:, None, None] ** 2).float()[
        :, None
    ]
    x = mask + 0.3 * torch.randn_like(mask)
    z = net(x)
    p = torch.sigmoid(z)
    dice = (2 * (p * mask).sum((1, 2, 3)) + 1) / ((p + mask).sum((1, 2, 3)) + 1)
    loss = F.binary_cross_entropy_with_logits(z, mask) + 1 - dice.mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if step % 20 == 19:
        sch.step(dice.mean())
print(loss.item())
