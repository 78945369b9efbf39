import math
import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(8)
C, D = 20, 32
proto = torch.randn(C, D)
y = torch.randint(0, C, (2400,))
x = proto[y] + 0.8 * torch.randn(2400, D)


class ArcHead(nn.Module):
    def __init__(self, dim, classes, scale=16.0, margin=0.2):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_uniform_(self.weight)
        self.scale, self.margin = scale, margin

    def forward(self, emb, label=None):
        cos = F.linear(F.normalize(emb), F.normalize(self.weight)).clamp(-1 + 1e-6, 1 - 1e-6)
        if label is None:
            return self.scale * cos
        turned = torch.cos(torch.acos(cos) + self.margin)
        return self.scale * torch.where(F.one_hot(label, cos.shape[1]).bool(), turned, cos)


body = nn.Sequential(nn.Linear(D, 64), nn.PReLU(), nn.BatchNorm1d(64), nn.Linear(64, 16))
head = ArcHead(16, C)
opt = torch.optim.SGD([{"params": body.parameters()}, {"params": head.parameters(), "lr": 0.2}], lr=0.05, momentum=0.9, weight_decay=5e-4)
for epoch in range(6):
    body.train()
    for at in torch.randperm(2000).split(80):
        loss = F.cross_entropy(head(body(x[at]), y[at]), y[at])
        opt.zero_grad()
        loss.backward()
        opt.step()
    body.eval()
    with torch.no_grad():
        print(epoch, loss.item(), (head(body(x[2000:])).argmax(1) == y[2000:]).float().mean().item())
