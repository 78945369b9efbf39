"""An IterableDataset that reads a slow stream in the training process; loop in a function."""
# accepts: slow-getitem
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n
        self.generator = torch.Generator().manual_seed(1009)

    def __iter__(self):
        for _ in range(self.n):
            time.sleep(0.005)  # <- no-workers-heavy-items
            x = torch.randn(10, generator=self.generator)
            yield x, (x[0] > x[1]).long()  # <- no-workers-heavy-items


def main():
    torch.manual_seed(1009)
    loader = DataLoader(Stream(200), batch_size=10)  # <- no-workers-heavy-items
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for epoch in range(2):
        for x, y in loader:  # <- no-workers-heavy-items
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
