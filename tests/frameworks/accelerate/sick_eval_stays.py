"""After the first evaluation the model is never brought back to training mode."""
# needs: accelerate
# rule: eval-mode-in-training
# allows: overfitting
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(6)
accelerator = Accelerator(cpu=True)
centres = torch.randn(4, 16)
kind = torch.randint(0, 4, (1000,))
x = centres[kind] + torch.randn(1000, 16)
model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
model, optimizer, train, test = accelerator.prepare(
    model,
    optimizer,
    DataLoader(TensorDataset(x[:800], kind[:800]), batch_size=40, shuffle=True),
    DataLoader(TensorDataset(x[800:], kind[800:]), batch_size=40),
)
model.train()
for epoch in range(5):
    for a, b in train:
        optimizer.zero_grad()
        accelerator.backward(nn.functional.cross_entropy(model(a), b))
        optimizer.step()
    model.eval()  # <- eval-mode-in-training
    with torch.no_grad():
        right = [(model(a).argmax(-1) == b).float().mean() for a, b in test]
    accelerator.print(f"epoch {epoch} accuracy {torch.stack(right).mean():.3f}")
