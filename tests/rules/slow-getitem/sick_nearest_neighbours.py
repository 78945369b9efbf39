"""Each item sorts the whole set by distance to find its neighbours; trainer class."""
# allows: no-workers-heavy-items
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Neighbourhoods(Dataset):
    def __init__(self, points, values, k=6):
        self.points, self.values, self.k = points, values, k

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        order = sorted(range(len(self.points)), key=lambda j: float(np.abs(self.points[i] - self.points[j]).sum()))  # <- slow-getitem
        near = order[1 : self.k + 1]
        return torch.from_numpy(self.values[near]), torch.tensor(self.values[i])


class Trainer:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=25, shuffle=True)
        self.model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)

    def run(self, epochs):
        for epoch in range(epochs):
            total = 0.0
            for x, y in self.loader:
                loss = nn.functional.mse_loss(self.model(x).squeeze(1), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(self.loader):.4f}")


torch.manual_seed(1503)
rng = np.random.default_rng(1503)
points = rng.random((400, 2)).astype(np.float32)
values = np.sin(4 * points[:, 0]) + points[:, 1]
Trainer(Neighbourhoods(points, values.astype(np.float32))).run(4)
