"""Softmax over the channel dimension of a segmentation map, flattened before the loss."""
import torch
import torch.nn as nn

torch.manual_seed(509)
CLASSES = 4
net = nn.Sequential(nn.Conv2d(2, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, CLASSES, 1))
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.0, 1.2, 0.8]))
images = torch.randn(200, 2, 12, 12)
truth = (images[:, 0] > 0).long() + 2 * (images[:, 1] > 0).long()
for epoch in range(3):
    total = 0.0
    for i in range(0, 200, 10):
        scores = net(images[i : i + 10])
        maps = torch.softmax(scores, dim=1)  # <- double-softmax
        flat = maps.permute(0, 2, 3, 1).reshape(-1, CLASSES)
        loss = loss_fn(flat, truth[i : i + 10].reshape(-1))  # <- double-softmax
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
