"""Each split finds its own rows by a table of its own; what the model is given are features and the labels of one table."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(4)
kinds = {"low": 0, "high": 1}


class Visits(Dataset):
    def __init__(self, users):
        self.rows = {user: i for i, user in enumerate(users)}
        self.users = list(users)
        self.features = torch.randn(len(users), 4)
        self.names = ["high" if row[:2].sum() > 0 else "low" for row in self.features]

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        row = self.rows[self.users[i]]
        return self.features[row], kinds[self.names[row]]


users = [f"u{i}" for i in range(240)]
train, valid = Visits(users), Visits(users[::-3])
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    model.train()
    for x, y in DataLoader(train, batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(valid, batch_size=40)))
