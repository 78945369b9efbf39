"""An ensemble as a list in an ordinary class, each member with its own optimizer; inputs that require grad for the penalty."""
import torch
import torch.nn as nn


class Ensemble:
    def __init__(self, members, inputs):
        self.members = [nn.Sequential(nn.Linear(inputs, 24), nn.Softplus(), nn.Linear(24, 1)) for _ in range(members)]
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=5e-3) for m in self.members]

    def update(self, x, y):
        losses = []
        for member, optimizer in zip(self.members, self.optimizers):
            rows = torch.randint(0, len(x), (len(x),))
            inputs = x[rows].clone().requires_grad_(True)
            output = member(inputs)
            slope = torch.autograd.grad(output.sum(), inputs, create_graph=True)[0]
            loss = nn.functional.mse_loss(output, y[rows]) + 1e-3 * slope.pow(2).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)


torch.manual_seed(229)
x = torch.randn(400, 4)
y = x[:, :1].abs() + x[:, 1:2]
ensemble = Ensemble(3, 4)
for epoch in range(6):
    print(f"epoch {epoch} loss {sum(ensemble.update(xb, yb) for xb, yb in zip(x.split(40), y.split(40))) / 10:.4f}")
