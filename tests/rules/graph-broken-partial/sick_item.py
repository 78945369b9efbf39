"""The reconstruction term is a number by the time it is added."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(9, 32), nn.ReLU())
        self.classify = nn.Linear(32, 3)
        self.rebuild = nn.Linear(32, 9)

    def forward(self, x):
        h = self.encoder(x)
        return self.classify(h), self.rebuild(h)


torch.manual_seed(151)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(80):
    x = torch.randn(40, 9)
    scores, again = model(x)
    rebuilt = ((again - x) ** 2).mean().item()  # <- graph-broken-partial
    loss = nn.functional.cross_entropy(scores, x[:, :3].argmax(1)) + 0.1 * rebuilt
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
