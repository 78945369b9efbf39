"""Pretrain as an autoencoder, then fine-tune a classifier on the encoder, in one process."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x @ torch.randn(20, 4)).argmax(1)
encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 16))
decoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 20))
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for epoch in range(6):
    for batch in torch.randperm(640).split(32):
        loss = nn.functional.mse_loss(decoder(encoder(x[batch])), x[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("pretrain", epoch, loss.item())

model = nn.Sequential(encoder, nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for batch in torch.randperm(640).split(32):
        loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("fine-tune", epoch, loss.item())
