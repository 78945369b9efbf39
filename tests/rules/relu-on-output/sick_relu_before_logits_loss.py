"""A relu on the scores of a binary classifier: no probability can fall below one half."""
# allows: dead-relu, loss-plateau
import torch
from torch import nn

torch.manual_seed(643)
model = nn.Sequential(
    nn.Linear(9, 24),
    nn.ReLU(),
    nn.Linear(24, 1),
    nn.ReLU(),  # <- relu-on-output
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = torch.randn(40, 9)
    y = (x[:, 0] + x[:, 1] > 0).float()
    out = model(x).squeeze(1)  # <- relu-on-output
    loss = criterion(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
