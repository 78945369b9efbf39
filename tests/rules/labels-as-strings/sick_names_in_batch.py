# exits: 1
"""The data set gives each label as text; a batch of them is a tuple, which has no device."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pets(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 4)
        self.names = ["cat" if row[0] > 0 else "dog" for row in self.x]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.names[i]  # <- labels-as-strings


class Trainer:
    def __init__(self, model, device):
        self.model, self.device = model.to(device), device
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def epoch(self, loader):
        for x, names in loader:
            loss = nn.functional.cross_entropy(self.model(x.to(self.device)), names.to(self.device))  # <- labels-as-strings
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


torch.manual_seed(0)
Trainer(nn.Linear(4, 2), torch.device("cpu")).epoch(DataLoader(Pets(64), batch_size=8))
