"""A chain of honest augmentations per item, each a part of the cost, and no workers."""
# accepts: slow-getitem
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, n, length=4096, seed=1003):
        rng = np.random.default_rng(seed)
        self.kind = rng.integers(0, 3, n)
        t = np.arange(length)
        self.wave = np.sin(t * (0.05 + 0.05 * self.kind[:, None])) + 0.5 * rng.normal(size=(n, length))
        self.rng = np.random.default_rng(seed + 1)

    def __len__(self):
        return len(self.kind)

    def warp(self, wave):
        t = np.linspace(0, 1, len(wave))
        return np.interp(t + 0.01 * np.sin(6.28 * (t + self.rng.random())), t, wave)  # <- no-workers-heavy-items

    def band(self, wave):
        spectrum = np.fft.rfft(wave)  # <- no-workers-heavy-items
        spectrum *= self.rng.uniform(0.8, 1.2, spectrum.shape)  # <- no-workers-heavy-items
        return np.fft.irfft(spectrum, len(wave))  # <- no-workers-heavy-items

    def smooth(self, wave):
        kernel = np.hanning(self.rng.integers(20, 60))
        return np.convolve(wave, kernel / kernel.sum(), "same")  # <- no-workers-heavy-items

    def __getitem__(self, i):
        wave = self.wave[i]
        for change in (self.warp, self.band, self.smooth, self.band, self.warp):
            wave = change(wave)  # <- no-workers-heavy-items
        return torch.from_numpy(wave[::32].astype(np.float32)), int(self.kind[i])


class Trainer:
    def __init__(self, loader):
        self.loader = loader
        self.model = nn.Sequential(nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 3))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)

    def run(self, epochs):
        for epoch in range(epochs):
            for x, y in self.loader:  # <- no-workers-heavy-items
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"epoch {epoch} loss {loss.item():.4f}")


torch.manual_seed(1003)
Trainer(DataLoader(Spectra(800), batch_size=40, shuffle=True)).run(4)  # <- no-workers-heavy-items
