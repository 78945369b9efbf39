"""Only a few names of the old version are still the same."""
# allows: loss-plateau
import torch
import torch.nn as nn


class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.conv3 = nn.Linear(6, 24), nn.Linear(24, 24), nn.Linear(24, 24)
        self.out = nn.Linear(24, 3)


class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 24), nn.Linear(24, 24), nn.Linear(24, 24)])
        self.out = nn.Linear(24, 3)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)


torch.manual_seed(33)
model = New()
model.load_state_dict(Old().state_dict(), strict=False)  # <- weights-not-loaded
x = torch.randn(600, 6)
y = x[:, :3].argmax(1)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
