"""One output with a softmax and a squared loss."""
# allows: loss-plateau
import torch
from torch import nn

torch.manual_seed(631)
model = nn.Sequential(
    nn.Linear(6, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
    nn.Softmax(dim=1),  # <- single-unit-softmax
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.MSELoss()
x = torch.randn(400, 6)
y = (x[:, :2].sum(1, keepdim=True) > 0).float()
for step in range(60):
    i = torch.randint(0, 400, (32,))
    out = model(x[i])  # <- single-unit-softmax
    loss = criterion(out, y[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
