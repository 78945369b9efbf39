"""An attention is computed and its result is dropped; in a trainer class."""
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)  # <- module-unused
        self.mix = nn.Linear(16, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, tokens):
        h = self.emb(tokens)
        mixed, _ = self.attention(h, h, h)
        h = torch.relu(self.mix(h)).mean(1)
        return self.out(h)


class Trainer:
    def __init__(self):
        self.model = Encoder()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)

    def fit(self, steps):
        for _ in range(steps):
            tokens = torch.randint(0, 20, (32, 7))
            loss = nn.functional.cross_entropy(self.model(tokens), (tokens.sum(1) > 66).long())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(223)
print(Trainer().fit(60))
