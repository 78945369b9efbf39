"""Raw scores of a character model into F.nll_loss, inside a function."""
# allows: loss-diverges
import torch
import torch.nn.functional as F
from torch import nn


class CharModel(nn.Module):
    def __init__(self, chars=12, width=24):
        super().__init__()
        self.embed = nn.Embedding(chars, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, chars)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.out(h)


def run(model, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(steps):
        start = torch.randint(0, 12, (16, 1))
        text = (start + 2 * torch.arange(9)) % 12
        scores = model(text[:, :-1])
        loss = F.nll_loss(scores.reshape(-1, 12), text[:, 1:].reshape(-1))  # <- nll-without-log-softmax
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print(step, loss.item())


torch.manual_seed(612)
run(CharModel(), 60)
