"""validate() switches gradients off and never on again: the second epoch's backward raises."""
# exits: 1
# accepts: graph-broken
import torch
import torch.nn as nn

torch.manual_seed(409)
x = torch.randn(600, 7)
y = (x[:, :1] * 2 + x[:, 1:2]).tanh()
model = nn.Sequential(nn.Linear(7, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss()


def validate():
    torch.set_grad_enabled(False)  # <- no-grad-forward
    model.eval()
    return criterion(model(x[500:]), y[500:]).item()


for epoch in range(5):
    model.train()
    for rows in torch.randperm(500).split(25):
        loss = criterion(model(x[rows]), y[rows])  # <- no-grad-forward
        optimizer.zero_grad()
        loss.backward()  # <- no-grad-forward
        optimizer.step()
    print(f"epoch {epoch} train {loss.item():.4f} val {validate():.4f}")
