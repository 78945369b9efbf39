"""A boolean filter over the whole frame for every user, inside a trainer."""
# needs: pandas
# allows: no-workers-heavy-items
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Histories(Dataset):
    def __init__(self, events, users, length=8):
        self.events, self.users, self.length = events, users, length

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        mine = self.events[self.events["user"] == self.users[i]]  # <- slow-getitem-dataframe-row
        amount = mine.sort_values("time")["amount"].to_numpy()[-self.length :]  # <- slow-getitem-dataframe-row
        history = np.zeros(self.length, dtype=np.float32)
        history[: len(amount)] = amount
        return torch.from_numpy(history), torch.tensor(float(amount.mean() > 0))


class Trainer:
    def __init__(self, data):
        self.loader = DataLoader(data, batch_size=40, shuffle=True)
        self.model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.criterion = nn.BCEWithLogitsLoss()

    def train(self, epochs):
        for epoch in range(epochs):
            total = 0.0
            for x, y in self.loader:
                loss = self.criterion(self.model(x).squeeze(1), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(self.loader):.4f}")


torch.manual_seed(1103)
rng = np.random.default_rng(1103)
user = rng.integers(0, 400, 6000)
lean = rng.normal(size=400)
events = pd.DataFrame({"user": user, "time": rng.random(6000), "amount": lean[user] + 0.3 * rng.normal(size=6000)})
Trainer(Histories(events, np.unique(user))).train(10)
