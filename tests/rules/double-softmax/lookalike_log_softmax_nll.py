"""log_softmax and nll_loss, the pair that belongs together."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 12, 5)
        self.fc = nn.Linear(12, 4)

    def forward(self, x):
        return F.log_softmax(self.fc(F.relu(self.conv(x)).mean(2)), dim=1)


torch.manual_seed(523)
y = torch.randint(0, 4, (640,))
t = torch.arange(32)
x = torch.sin(t * (0.3 + 0.4 * y.view(-1, 1, 1)) + 6.28 * torch.rand(640, 3, 1)) + 0.2 * torch.randn(640, 3, 32)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        loss = F.nll_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
