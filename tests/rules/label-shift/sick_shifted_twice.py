"""The data shifts the labels, and the model shifts them again before its loss."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])


class Windows(Dataset):
    def __len__(self):
        return len(ids) - 30

    def __getitem__(self, i):
        return ids[i : i + 24], ids[i + 1 : i + 25]  # <- label-shift


class Decoder(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.rnn = nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Linear(32, n)

    def forward(self, tokens, labels=None):
        logits = self.head(self.rnn(self.emb(tokens))[0])
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())  # <- label-shift
        return loss, logits


class Trainer:
    def __init__(self):
        self.model = Decoder(len(letters))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.005)

    def fit(self):
        for tokens, labels in DataLoader(Windows(), batch_size=16, shuffle=True):
            loss, _ = self.model(tokens, labels=labels)  # <- label-shift
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


Trainer().fit()
