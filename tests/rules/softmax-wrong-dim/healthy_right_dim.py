"""A softmax over the classes, a segmentation with classes in dimension 1, mse on probabilities."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(625)
segment = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1), nn.LogSoftmax(dim=1))
scorer = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax(dim=1))
optimizer = torch.optim.Adam([*segment.parameters(), *scorer.parameters()], lr=1e-2)
for step in range(60):
    image = torch.randn(6, 1, 8, 8)
    truth = (image[:, 0] > 0.4).long() + (image[:, 0] > -0.4).long()
    x = torch.randn(24, 6)
    y = x[:, :4].argmax(1)
    loss = F.nll_loss(segment(image), truth) + F.mse_loss(scorer(x), F.one_hot(y, 4).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
