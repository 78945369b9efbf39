"""The model itself detaches its output; the trainer calls requires_grad_ on the loss."""
# expects-under: loss-plateau
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SequenceTagger(nn.Module):
    def __init__(self, vocab, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=True)
        self.proj = nn.Linear(24, tags)
        nn.init.zeros_(self.proj.bias)

    def forward(self, ids):
        hidden, _ = self.lstm(self.emb(ids))
        scores = self.proj(hidden)
        return scores.detach()  # <- graph-broken


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        self.criterion = nn.CrossEntropyLoss()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            total = 0.0
            for ids, tags in loader:
                self.optimizer.zero_grad()
                logits = self.model(ids)
                loss = self.criterion(logits.reshape(-1, logits.size(-1)), tags.reshape(-1))
                loss.requires_grad_(True)  # <- graph-broken
                loss.backward()  # <- graph-broken
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(loader):.4f}")


torch.manual_seed(307)
ids = torch.randint(0, 40, (400, 9))
Trainer(SequenceTagger(40, 5)).fit(DataLoader(TensorDataset(ids, ids % 5), batch_size=25, shuffle=True), 4)
