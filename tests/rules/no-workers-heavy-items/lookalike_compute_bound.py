"""Items cost a little, the step costs much more: workers would change nothing that matters."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(1019)
        self.images = rng.random((n, 1, 24, 24), dtype=np.float32)
        self.images[:, :, :12] += rng.random((n, 1, 1, 1), dtype=np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = np.ascontiguousarray(self.images[i, :, :, ::-1] if i % 2 else self.images[i])
        return torch.from_numpy(image), torch.tensor((image[:, :12].mean() - image[:, 12:].mean()) * 4)


def main():
    torch.manual_seed(1019)
    loader = DataLoader(Patches(256), batch_size=32, shuffle=True)
    layers = [nn.Conv2d(1, 48, 3, padding=1), nn.ReLU()]
    for _ in range(3):
        layers += [nn.Conv2d(48, 48, 3, padding=1), nn.ReLU()]
    model = nn.Sequential(*layers, nn.AvgPool2d((12, 24)), nn.Flatten(), nn.Linear(96, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(3):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


main()
