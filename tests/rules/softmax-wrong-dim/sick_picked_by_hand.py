"""The loss written by hand with gather, the softmax over the batch."""
import torch
from torch import nn

torch.manual_seed(623)
centers = torch.randn(4, 10)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)


def loss_of(scores, y):
    logp = scores.log_softmax(0)  # <- softmax-wrong-dim
    return -logp.gather(1, y[:, None]).squeeze(1).mean()


for step in range(60):
    y = torch.randint(0, 4, (32,))
    x = centers[y] + 0.5 * torch.randn(32, 10)
    loss = loss_of(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
