"""Items wait for a store, and two workers fetch them ahead while the step runs."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Remote(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 64)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        time.sleep(0.0005)
        return self.x[i], (self.x[i, 0] > 0).long()


if __name__ == "__main__":
    torch.manual_seed(1031)
    loader = DataLoader(Remote(240), batch_size=8, shuffle=True, num_workers=2, persistent_workers=True, prefetch_factor=4)
    model = nn.Sequential(nn.Linear(64, 2000), nn.ReLU(), nn.Linear(2000, 2000), nn.ReLU(), nn.Linear(2000, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
