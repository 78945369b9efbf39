"""A trainer whose helper clears the gradients at the wrong moment; AdamW with decay, so the weights still move."""
# expects-under: loss-plateau
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, dim=32, heads=4, classes=5):
        super().__init__()
        self.embed = nn.Linear(6, dim)
        self.attend = nn.TransformerEncoderLayer(dim, heads, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(dim, classes)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        return self.head(self.attend(self.embed(x)).mean(1))


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
        self.loss_fn = nn.CrossEntropyLoss()
        self.history = []

    def _prepare(self):
        self.optimizer.zero_grad()  # <- zero-grad-before-step

    def _update(self):
        self._prepare()  # <- zero-grad-before-step
        self.optimizer.step()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.model.train()
            for x, y in loader:
                loss = self.loss_fn(self.model(x), y)
                loss.backward()
                self._update()
                self.history.append(loss.item())
            print(f"epoch {epoch} loss {sum(self.history[-len(loader):]) / len(loader):.4f}")


torch.manual_seed(41)
kind = torch.randint(0, 5, (600,))
series = torch.randn(600, 10, 6)
series[torch.arange(600), :, kind] += 1.0
trainer = Trainer(Encoder(), 1e-3)
trainer.fit(DataLoader(TensorDataset(series, kind), batch_size=30, shuffle=True), 4)
