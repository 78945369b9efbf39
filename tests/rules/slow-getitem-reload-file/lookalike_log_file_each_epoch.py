"""The training loop opens its log file every epoch and reads its settings file again; no item does."""
import json
import tempfile
from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1327)
with tempfile.TemporaryDirectory() as name:
    settings, log = Path(name, "settings.json"), Path(name, "log.txt")
    settings.write_text(json.dumps({"lr": 3e-3, "clip": 1.0}))
    y = torch.randint(0, 3, (600,))
    x = torch.randn(3, 10)[y] + 0.6 * torch.randn(600, 10)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(8):
        options = json.loads(settings.read_text())
        optimizer.param_groups[0]["lr"] = options["lr"]
        for xb, yb in DataLoader(TensorDataset(x, y), batch_size=30, shuffle=True):
            loss = nn.functional.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), options["clip"])
            optimizer.step()
        with log.open("a") as file:
            file.write(f"epoch {epoch} loss {loss.item():.4f}\n")
    print(log.read_text(), end="")
