"""A learnable scale whose gradients forget grad_output; setup_context style, in a function."""
# allows: loss-plateau, lr-too-high
import torch
import torch.nn as nn


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return x * scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return scale.expand_as(x), x.sum(0)  # <- custom-backward-missing-grad-output


def main():
    torch.manual_seed(172)
    layer, head = nn.Linear(6, 16), nn.Linear(16, 1)
    scale = nn.Parameter(torch.ones(16))
    optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters(), scale], lr=2e-3)
    for step in range(60):
        x = torch.randn(32, 6)
        loss = nn.functional.mse_loss(head(torch.tanh(Scaled.apply(layer(x), scale))), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
