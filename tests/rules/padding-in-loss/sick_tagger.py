"""A tagger whose padded positions carry the tag 3, classes in dimension 1, in a function."""
# allows: python-loop-over-elements
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 16)
        self.conv = nn.Conv1d(16, 24, 3, padding=1)
        self.tag = nn.Conv1d(24, 4, 1)

    def forward(self, words):
        return self.tag(F.relu(self.conv(self.embed(words).transpose(1, 2))))


def batch(rows=20, longest=18):
    words, tags = torch.full((rows, longest), 29), torch.full((rows, longest), 3)
    for row in range(rows):
        length = int(torch.randint(4, longest + 1, ()))
        words[row, :length] = torch.randint(0, 29, (length,))
        tags[row, :length] = words[row, :length] % 3
    return words, tags


def main():
    torch.manual_seed(682)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(60):
        words, tags = batch()
        loss = F.cross_entropy(model(words), tags)  # <- padding-in-loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print(step, loss.item())


main()
