"""A custom loss: its forward is a mean, its backward forgets it. In a trainer class."""
# allows: loss-plateau, lr-too-high, loss-diverges
import torch
import torch.nn as nn


class SoftMargin(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, target):
        sign = 2.0 * target - 1
        ctx.save_for_backward(scores, sign)
        return nn.functional.softplus(-sign * scores).mean()

    @staticmethod
    def backward(ctx, grad_output):
        scores, sign = ctx.saved_tensors
        return -grad_output * sign * torch.sigmoid(-sign * scores), None  # <- custom-backward-wrong-formula


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = SoftMargin.apply(self.model(x).squeeze(1), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(189)
    trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)))
    for _ in range(60):
        x = torch.randn(32, 6)
        value = trainer.step(x, (x[:, 0] > 0).float())
    print(value)
