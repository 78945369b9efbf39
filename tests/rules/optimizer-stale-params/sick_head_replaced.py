"""A new head after the optimizer was made, under a body that goes on learning."""
# allows: loss-plateau
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(21)
x = torch.randn(600, 8)
y = x[:, :5].argmax(1)
model = Net(2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # <- optimizer-stale-params
model.head = nn.Linear(32, 5)  # <- optimizer-stale-params
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
