"""F.l1_loss in a function: the last state's output is (N, 1), the numpy targets are (N,)."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 24, batch_first=True)
        self.linear = nn.Linear(24, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.linear(out[:, -1])


def make_windows(n, rng):
    phase = rng.uniform(0, 2 * np.pi, (n, 1))
    t = np.arange(13) * 0.5
    wave = np.sin(t + phase)
    return np.stack([wave[:, :-1], np.cos(t[:-1] + phase)], -1).astype(np.float32), wave[:, -1].astype(np.float32)


def main():
    torch.manual_seed(603)
    inputs, targets = make_windows(640, np.random.default_rng(603))
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(4):
        losses = []
        for i in range(0, 640, 32):
            x, y = torch.from_numpy(inputs[i : i + 32]), torch.from_numpy(targets[i : i + 32])
            optimizer.zero_grad()
            loss = F.l1_loss(model(x), y)  # <- broadcast-loss
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch} mae {np.mean(losses):.4f}")


if __name__ == "__main__":
    main()
