"""The model is cleared in a helper that each micro-batch calls."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn


def micro_batch(model, size):
    x = torch.randn(size, 6)
    y = x[:, :1] * 2 - x[:, 1:2]
    model.zero_grad()  # <- accumulation-zeroed
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    return 4 * loss.item()


def main():
    torch.manual_seed(82)
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(40):
        losses = [micro_batch(model, 16) for _ in range(4)]
        optimizer.step()  # <- accumulation-zeroed
    print(sum(losses) / 4)


main()
