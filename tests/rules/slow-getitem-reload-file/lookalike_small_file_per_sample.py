"""One small file per sample: opening it is the item, and the network costs far more."""
import tempfile
from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Folder(Dataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.txt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        label, *values = self.files[i].read_text().split()
        return torch.tensor([float(v) for v in values]), int(label)


torch.manual_seed(1321)
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for i, x in enumerate(torch.randn(200, 8)):
        (folder / f"{i:04d}.txt").write_text(" ".join([str(int(x[0] > x[1])), *(f"{v:.4f}" for v in x.tolist())]))
    loader = DataLoader(Folder(folder), batch_size=40, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 1500), nn.ReLU(), nn.Linear(1500, 1500), nn.ReLU(), nn.Linear(1500, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(6):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
