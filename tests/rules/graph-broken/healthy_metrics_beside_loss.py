"""detach, argmax, item and numpy appear, for the metrics only."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(331)
x = torch.randn(900, 10)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=45, shuffle=True)
model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    losses, predictions, truths = [], [], []
    for xb, yb in loader:
        optimizer.zero_grad()
        logits = model(xb)
        loss = criterion(logits, yb)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        predictions.append(logits.detach().argmax(1).cpu().numpy())
        truths.append(yb.numpy())
    accuracy = (np.concatenate(predictions) == np.concatenate(truths)).mean()
    print(f"epoch {epoch} loss {np.mean(losses):.4f} accuracy {accuracy:.3f}")
