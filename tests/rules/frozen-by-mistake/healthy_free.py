"""Nothing is frozen but a small fixed table."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = nn.Parameter(torch.randn(12, 16), requires_grad=False)
        self.embedding = nn.Embedding(30, 16)
        self.hidden = nn.Linear(16, 64)
        self.out = nn.Linear(64, 2)

    def forward(self, tokens):
        return self.out(torch.relu(self.hidden((self.embedding(tokens) + self.places).mean(1))))


torch.manual_seed(103)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(80):
    tokens = torch.randint(0, 30, (32, 12))
    loss = nn.functional.cross_entropy(model(tokens), ((tokens == 3).sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
