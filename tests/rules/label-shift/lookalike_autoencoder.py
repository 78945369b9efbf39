"""An autoencoder: the whole sequence goes through one vector, and the target is the sequence."""

import torch
from torch import nn

torch.manual_seed(0)
N, LENGTH = 12, 8


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(N, 16)
        self.encoder = nn.GRU(16, 64, batch_first=True)
        self.decoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, LENGTH * N))

    def forward(self, ids):
        _, h = self.encoder(self.emb(ids))
        return self.decoder(h[-1]).view(-1, LENGTH, N)


data = torch.randint(0, N, (128, LENGTH))
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(12):
    for ids in data.split(16):
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
