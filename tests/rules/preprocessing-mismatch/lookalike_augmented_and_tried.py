"""A trial call with zeros, noise and dropped pixels in training only, and a validation set that is a little brighter."""
import torch
import torch.nn as nn

torch.manual_seed(364)
kind = torch.randint(0, 4, (1200,))
images = torch.rand(4, 1, 8, 8)[kind] + 0.1 * torch.rand(1200, 1, 8, 8)
images[1000:] *= 1.3
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten())
with torch.no_grad():
    width = net(torch.zeros(1, 1, 8, 8)).shape[1]
net = nn.Sequential(net, nn.Linear(width, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(5):
    net.train()
    for rows in torch.randperm(1000).split(50):
        x = images[rows] + 0.3 * torch.randn(50, 1, 8, 8)
        x = x * (torch.rand_like(x) > 0.2)
        loss = nn.functional.cross_entropy(net(x), kind[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        print(epoch, loss.item(), (net(images[1000:]).argmax(1) == kind[1000:]).float().mean().item())
