"""Autoencoder in two modules; the optimizer is built in a function that forgets the encoder."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def build_models(dim, code):
    encoder = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, code))
    decoder = nn.Sequential(nn.Linear(code, 32), nn.ReLU(), nn.Linear(32, dim))
    return encoder, decoder


def build_optimizer(encoder, decoder, lr):
    return torch.optim.SGD(decoder.parameters(), lr=lr, momentum=0.9)  # <- optimizer-missing-params


def train(encoder, decoder, optimizer, data, epochs):
    for epoch in range(epochs):
        total = 0.0
        for batch in data[torch.randperm(len(data))].split(64):
            loss = F.mse_loss(decoder(encoder(batch)), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch} reconstruction {total / len(data):.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    torch.manual_seed(103)
    data = torch.tanh(torch.randn(1024, 4) @ torch.randn(4, 20))
    encoder, decoder = build_models(20, 4)
    optimizer = build_optimizer(encoder, decoder, args.lr)  # <- optimizer-missing-params
    train(encoder, decoder, optimizer, data, args.epochs)


if __name__ == "__main__":
    main()
