"""A custom loss that leaves grad_output out: nothing stands between it and backward, so it would be multiplied by 1."""
import torch
import torch.nn as nn


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, target):
        p = scores.softmax(1)
        ctx.save_for_backward(p, target)
        return -p[torch.arange(len(target)), target].log().mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        return (p - nn.functional.one_hot(target, p.size(1))) / len(target), None


torch.manual_seed(175)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = torch.randn(32, 8)
    loss = CrossEntropy.apply(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
