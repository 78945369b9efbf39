"""Character by character with ord(), loop in a function, an iterable text file in memory."""
# allows: no-workers-heavy-items
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 .,-"


class Lines(Dataset):
    def __init__(self, lines):
        self.lines = lines

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        text = self.lines[i].lower()
        codes = [ALPHABET.index(c) if c in ALPHABET else len(ALPHABET) for c in text]  # <- slow-getitem-tokenise
        return torch.tensor(codes), text.count("a") % 2  # <- slow-getitem-tokenise


def train(lines, epochs=6):
    torch.manual_seed(1207)
    loader = DataLoader(Lines(lines), batch_size=20)
    model = nn.Sequential(nn.EmbeddingBag(len(ALPHABET) + 1, 16, mode="sum"), nn.BatchNorm1d(16), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        total = 0.0
        for codes, odd in loader:
            loss = nn.functional.cross_entropy(model(codes), odd)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f}")


if __name__ == "__main__":
    phrase = "Gather 12 apples, 7 pears - and 1 melon at noon. "
    train([(phrase * 150)[i : i + 6000] + "ab"[i % 2] for i in range(200)])
