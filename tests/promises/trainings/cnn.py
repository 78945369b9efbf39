"""CNN with BatchNorm and dropout, augmented items, gradient accumulation."""

import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from traces import report


class Images(Dataset):
    def __init__(self, n):
        self.images = torch.rand(n, 3, 16, 16)
        self.labels = self.images.mean((2, 3)).argmax(1)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        if random.random() < 0.5:
            image = image.flip(-1)
        return image + float(np.random.normal(0, 0.01)), self.labels[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm_a = nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12)
        self.b, self.norm_b = nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24)
        self.drop, self.head = nn.Dropout2d(0.2), nn.Linear(24, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm_a(self.a(x))), 2)
        x = F.relu(self.norm_b(self.b(x)))
        return self.head(self.drop(x).mean((2, 3)))


torch.manual_seed(2)
random.seed(2)
np.random.seed(2)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
losses = []
for _epoch in range(3):
    for i, (x, y) in enumerate(DataLoader(Images(160), batch_size=16, shuffle=True)):
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        (loss / 2).backward()
        if i % 2:
            optimizer.step()
            model.zero_grad()
        losses.append(loss.item())
report(losses, model=model, optimizer=optimizer)
