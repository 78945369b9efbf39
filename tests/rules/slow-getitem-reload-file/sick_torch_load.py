"""torch.load of the complete tensor file per sample, loop in a function."""
# allows: no-workers-heavy-items
import pathlib
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Stored(Dataset):
    def __init__(self, file, count):
        self.file, self.count = file, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        data = torch.load(self.file)  # <- slow-getitem-reload-file
        return data["inputs"][index], data["targets"][index]


def main():
    torch.manual_seed(1307)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "train.pt"
        inputs = torch.randn(9000, 300)
        torch.save({"inputs": inputs, "targets": (inputs[:, :100].mean(1) > 0).float()}, file)
        loader = DataLoader(Stored(file, 256), batch_size=16, shuffle=True)
        model = nn.Sequential(nn.Linear(300, 16), nn.ReLU(), nn.Linear(16, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        for epoch in range(2):
            total = 0.0
            for x, y in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(loader):.4f}")


if __name__ == "__main__":
    main()
