"""Gradients set to None by hand between backward and step; functional autoencoder loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(43)
basis = torch.randn(3, 24)
data = torch.randn(960, 3) @ basis + 0.05 * torch.randn(960, 24)
encoder, decoder = nn.Linear(24, 6), nn.Linear(6, 24)
parameters = list(encoder.parameters()) + list(decoder.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.01, momentum=0.9)


def training_step(batch):
    reconstruction = decoder(torch.tanh(encoder(batch)))
    loss = F.mse_loss(reconstruction, batch)
    loss.backward()
    norm = torch.stack([p.grad.norm() for p in parameters]).norm()
    for p in parameters:
        p.grad = None  # <- zero-grad-before-step
    optimizer.step()
    return loss.item(), norm.item()


for epoch in range(4):
    results = [training_step(batch) for batch in data[torch.randperm(960)].split(40)]
    print(f"epoch {epoch} loss {sum(r[0] for r in results) / len(results):.4f} grad norm {results[-1][1]:.3f}")
