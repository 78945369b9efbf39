"""Encoder and head have an optimizer each; the encoder's gradients are cleared twice, the head's never."""
import torch
from torch import nn, optim
from torch.nn import functional as F


def run_epoch(encoder, head, opt_encoder, opt_head, sequences, targets, batch_size=40):
    total = 0.0
    for i in range(0, len(sequences), batch_size):
        x, y = sequences[i : i + batch_size], targets[i : i + batch_size]
        opt_encoder.zero_grad()
        opt_encoder.zero_grad()
        _, (state, _) = encoder(x)
        prediction = head(state[-1]).squeeze(-1)
        loss = F.smooth_l1_loss(prediction, y)
        loss.backward()  # <- missing-zero-grad
        opt_encoder.step()
        opt_head.step()  # <- missing-zero-grad
        total += loss.item() * len(x)
    return total / len(sequences)


def main():
    torch.manual_seed(21)
    sequences = torch.randn(800, 15, 3)
    targets = sequences[:, :, 0].mean(1) + 0.5 * sequences[:, -1, 1]
    encoder = nn.LSTM(3, 32, batch_first=True)
    head = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
    opt_encoder = optim.RMSprop(encoder.parameters(), lr=1e-3)
    opt_head = optim.SGD(head.parameters(), lr=1e-2)
    for epoch in range(5):
        print("epoch", epoch, "loss", round(run_epoch(encoder, head, opt_encoder, opt_head, sequences, targets), 4))


main()
