import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(15)


def scene(n):
    img, target = torch.zeros(n, 1, 16, 16), torch.zeros(n, 4, 4, 3)
    for k in range(n):
        r, c = (int(v) for v in torch.randint(0, 13, (2,)))
        img[k, 0, r : r + 3, c : c + 3] = 1
        cy, cx = (r + 1.5) / 4, (c + 1.5) / 4
        target[k, int(cy), int(cx)] = torch.tensor([1.0, cy % 1, cx % 1])
    return img + 0.1 * torch.randn_like(img), target


net = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.LeakyReLU(0.1), nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.LeakyReLU(0.1), nn.Conv2d(32, 3, 3, 1, 1))
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, nesterov=True)
images, targets = scene(800)
for epoch in range(6):
    net.train()
    for at in torch.randperm(800).split(40):
        out = net(images[at]).permute(0, 2, 3, 1)
        there = targets[at][..., 0]
        loss = F.binary_cross_entropy_with_logits(out[..., 0], there) + 2 * ((out[..., 1:].sigmoid() - targets[at][..., 1:]).pow(2).sum(-1) * there).sum() / there.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
