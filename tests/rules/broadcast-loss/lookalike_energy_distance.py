"""Distance between two samples: every generated value against every observed one, by an explicit new axis."""
import torch
import torch.nn as nn


def energy_distance(generated, observed):
    across = (generated.unsqueeze(1) - observed).abs().mean()
    within = (generated.unsqueeze(1) - generated.unsqueeze(0)).abs().mean()
    return 2 * across - within


def train(generator, steps=150):
    optimizer = torch.optim.Adam(generator.parameters(), lr=5e-3)
    for step in range(steps):
        observed = torch.randn(64) * 0.5 + 2.0
        generated = generator(torch.randn(64, 2)).squeeze(1)
        loss = energy_distance(generated, observed)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 30 == 0:
            print(f"step {step} distance {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(631)
    train(nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 1)))
