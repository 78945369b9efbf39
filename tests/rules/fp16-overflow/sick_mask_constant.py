"""A mask value that float16 does not have."""
# exits: 1
import torch
import torch.nn as nn


class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.ask = nn.Linear(8, 8)

    def forward(self, x, hidden):
        scores = self.ask(x) @ x.transpose(1, 2)
        scores = scores.masked_fill(hidden, -1e10)  # <- fp16-overflow
        return (scores.softmax(-1) @ x).mean((1, 2))


torch.manual_seed(3)
model = Scores().half()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
hidden = torch.ones(6, 6, dtype=torch.bool).triu(1)
for step in range(20):
    loss = model(torch.randn(4, 6, 8).half(), hidden).float().pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
