"""pandas-style codes: a missing category is -1, and turns up after some batches; trainer class, functional lookup."""
# exits: 1
import torch
from torch import nn
from torch.nn import functional as F


class Trainer:
    def __init__(self, categories):
        self.table = nn.Parameter(0.1 * torch.randn(categories, 8))  # <- embedding-negative-index
        self.out = nn.Linear(8, 1)
        self.optimizer = torch.optim.SGD([self.table, *self.out.parameters()], lr=0.1)

    def step(self, codes, y):
        vectors = F.embedding(codes, self.table)  # <- embedding-negative-index
        loss = F.mse_loss(self.out(vectors).squeeze(1), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(2003)
codes = torch.randint(0, 12, (600,))
value = torch.randn(12)[codes]
codes[430] = -1
trainer = Trainer(12)
for i in range(0, 600, 20):
    loss = trainer.step(codes[i : i + 20], value[i : i + 20])
    if i % 100 == 0:
        print(f"row {i} loss {loss:.4f}")
