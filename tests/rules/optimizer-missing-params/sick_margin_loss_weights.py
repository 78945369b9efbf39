"""Metric learning: the margin loss has class weights of its own, which the trainer never optimizes."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class ArcMargin(nn.Module):
    def __init__(self, dim, classes, margin=0.2, scale=16.0):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_uniform_(self.weight)
        self.cos_m, self.sin_m, self.scale = math.cos(margin), math.sin(margin), scale

    def forward(self, features, labels):
        cosine = F.linear(F.normalize(features), F.normalize(self.weight)).clamp(-0.999, 0.999)
        sine = (1.0 - cosine.pow(2)).sqrt()
        rotated = cosine * self.cos_m - sine * self.sin_m
        onehot = F.one_hot(labels, cosine.shape[1]).bool()
        return F.cross_entropy(torch.where(onehot, rotated, cosine) * self.scale, labels)


class Trainer:
    def __init__(self, backbone, criterion, lr=2e-3):
        self.backbone, self.criterion = backbone, criterion
        self.optimizer = torch.optim.Adam(self.backbone.parameters(), lr=lr)  # <- optimizer-missing-params

    def step(self, images, labels):
        loss = self.criterion(self.backbone(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(107)
people = torch.randn(40, 1, 10, 10)
backbone = nn.Sequential(nn.Conv2d(1, 8, 3), nn.PReLU(), nn.Flatten(), nn.Linear(512, 6))
trainer = Trainer(backbone, ArcMargin(6, 40))
for epoch in range(4):
    losses = []
    for _ in range(20):
        who = torch.randint(0, 40, (32,))
        losses.append(trainer.step(people[who] + 0.4 * torch.randn(32, 1, 10, 10), who))
    print(f"epoch {epoch} loss {sum(losses) / 20:.4f}")
