"""Adam at 1e-8 in a trainer class; two workers feed it."""
# allows: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Tones(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(3)
        self.pitch = torch.randint(0, 4, (count,), generator=generator)
        time = torch.linspace(0, 1, 64)
        self.wave = torch.sin(6.283 * (self.pitch[:, None] + 2) * time) + 0.3 * torch.randn(count, 64, generator=generator)

    def __len__(self):
        return len(self.pitch)

    def __getitem__(self, index):
        return {"wave": self.wave[index].unsqueeze(0), "pitch": self.pitch[index]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 16, 9, stride=2)
        self.norm = nn.BatchNorm1d(16)
        self.head = nn.Linear(16, 4)

    def forward(self, wave):
        return self.head(torch.relu(self.norm(self.conv(wave))).amax(-1))


class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=rate)  # <- lr-too-low

    def step(self, batch):
        loss = nn.functional.cross_entropy(self.model(batch["wave"]), batch["pitch"])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            losses = [self.step(batch) for batch in loader]
            print(f"epoch {epoch} loss {sum(losses) / len(losses):.5f}")


if __name__ == "__main__":
    torch.manual_seed(5)
    Trainer(Net(), rate=1e-8).fit(DataLoader(Tones(512), batch_size=32, shuffle=True, num_workers=1), epochs=6)
