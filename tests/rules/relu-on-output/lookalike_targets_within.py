"""A sigmoid for images in 0..1, tanh for images in -1..1, softplus for counts, relu for hidden features: all within."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(645)
body = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
sigmoid = nn.Sequential(nn.Linear(32, 9), nn.Sigmoid())
tanh = nn.Sequential(nn.Linear(32, 9), nn.Tanh())
counts = nn.Sequential(nn.Linear(32, 1), nn.Softplus())
features = nn.Sequential(nn.Linear(32, 12), nn.ReLU())
teacher = nn.Sequential(nn.Linear(6, 12), nn.ReLU()).requires_grad_(False)
parts = nn.ModuleList([body, sigmoid, tanh, counts, features])
optimizer = torch.optim.Adam(parts.parameters(), lr=1e-2)
mix = torch.randn(6, 9)
for step in range(80):
    x = torch.randn(48, 6)
    h = body(x)
    image = torch.sigmoid(x @ mix)
    loss = F.mse_loss(sigmoid(h), image.round()) + F.l1_loss(tanh(h), torch.sign(x @ mix))
    loss = loss + F.mse_loss(counts(h).squeeze(1), (2 + x[:, 0]).clamp(min=0).round()) + F.mse_loss(features(h), teacher(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
