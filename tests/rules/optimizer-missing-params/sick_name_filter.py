"""Parameter groups by name: the filter for the second group matches nothing, so every norm and bias is left out."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(113)
DIM = 24


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer_norm = nn.LayerNorm(dim)
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.layer_norm(x))))


model = nn.Sequential(nn.Linear(8, DIM), Block(DIM), Block(DIM), nn.Linear(DIM, 1))
decay, no_decay = [], []
for name, parameter in model.named_parameters():
    if name.endswith("weight") and "norm" not in name:
        decay.append(parameter)
    elif name.startswith("bias"):
        no_decay.append(parameter)
groups = [{"params": decay, "weight_decay": 0.01}]
if no_decay:
    groups.append({"params": no_decay, "weight_decay": 0.0})
optimizer = torch.optim.AdamW(groups, lr=3e-3)  # <- optimizer-missing-params

x = torch.randn(800, 8)
y = (x[:, :2].prod(1) + x[:, 2]).unsqueeze(1)
for epoch in range(4):
    total = 0.0
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
