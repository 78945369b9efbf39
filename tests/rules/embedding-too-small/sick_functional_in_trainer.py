"""F.embedding with a table made by hand; the trainer swallows the IndexError and loses those batches."""
import torch
from torch import nn
from torch.nn import functional as F


class CodeModel(nn.Module):
    def __init__(self, symbols, dim, classes):
        super().__init__()
        self.table = nn.Parameter(torch.randn(symbols, dim) * 0.1)  # <- embedding-too-small
        self.out = nn.Linear(dim, classes)

    def forward(self, codes):
        vectors = F.embedding(codes, self.table)  # <- embedding-too-small
        return self.out(vectors.max(1).values)


class Trainer:
    def __init__(self, model):
        self.model, self.skipped = model, 0
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    def step(self, codes, target):
        try:
            loss = F.cross_entropy(self.model(codes), target)
        except IndexError:
            self.skipped += 1
            return None
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(709)
trainer = Trainer(CodeModel(symbols=32, dim=12, classes=4))  # <- embedding-too-small
codes = torch.randint(0, 32, (800, 6))
codes[::50, 2] = 34
target = codes[:, 0] % 4
for epoch in range(3):
    losses = [trainer.step(codes[i : i + 8], target[i : i + 8]) for i in range(0, 800, 8)]
    kept = [v for v in losses if v is not None]
    print(f"epoch {epoch} loss {sum(kept) / len(kept):.4f} skipped {trainer.skipped}")
