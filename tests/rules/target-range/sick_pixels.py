"""An autoencoder with binary cross-entropy (with logits) on pixels of 0 to 255, in a function."""
# allows: loss-diverges, input-scale-large, saturated-activations
import torch
import torch.nn.functional as F
from torch import nn


def train(model, images, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        batch = images[torch.randint(0, len(images), (16,))]
        out = model(batch / 255)
        loss = F.binary_cross_entropy_with_logits(out, batch)  # <- target-range
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print(step, loss.item())


torch.manual_seed(702)
model = nn.Sequential(nn.Linear(25, 8), nn.ReLU(), nn.Linear(8, 25))
train(model, torch.randint(0, 256, (200, 25)).float(), 60)
