"""An encoder that was never loaded is frozen by requires_grad_(False)."""
# allows: loss-plateau
import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self, freeze):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv1d(4, 24, 3, padding=1), nn.ReLU(), nn.Conv1d(24, 24, 3, padding=1), nn.ReLU())
        self.head = nn.Conv1d(24, 3, 1)
        if freeze:
            self.encoder.requires_grad_(False)  # <- frozen-by-mistake

    def forward(self, x):
        return self.head(self.encoder(x))


def main():
    torch.manual_seed(102)
    model = Tagger(freeze=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(80):
        x = torch.randn(16, 4, 20)
        y = (x.roll(1, 2)[:, 0] > 0).long() + (x[:, 1] > 0).long()
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
