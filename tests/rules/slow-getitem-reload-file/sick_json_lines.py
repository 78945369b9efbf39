"""The annotation file is opened and parsed for every item; trainer class."""
# allows: no-workers-heavy-items
import json
import random
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Annotations(Dataset):
    def __init__(self, path):
        self.path = path
        self.n = len(json.loads(path.read_text())["boxes"])

    def __len__(self):
        return self.n

    def _entry(self, i):
        with open(self.path) as file:  # <- slow-getitem-reload-file
            return json.load(file)["boxes"][i]  # <- slow-getitem-reload-file

    def __getitem__(self, i):
        entry = self._entry(i)  # <- slow-getitem-reload-file
        box = torch.tensor(entry["corners"])
        return box, torch.tensor([(box[2] - box[0]) * (box[3] - box[1])])


class Trainer:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=20, shuffle=True)
        self.model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)

    def run(self, epochs):
        for epoch in range(epochs):
            total = 0.0
            for box, area in self.loader:
                loss = nn.functional.mse_loss(self.model(box), area)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(self.loader):.4f}")


random.seed(1303)
torch.manual_seed(1303)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "boxes.json")
    boxes = [{"name": f"object {i}", "corners": [random.random() for _ in range(2)] + [1 + random.random() for _ in range(2)]} for i in range(400)]
    path.write_text(json.dumps({"boxes": boxes}))
    Trainer(Annotations(path)).run(3)
