"""A tagger that normalises over the positions and flattens for the loss."""
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=40, tags=6):
        super().__init__()
        self.embed = nn.Embedding(words, 16)
        self.rnn = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(32, tags)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return F.log_softmax(self.tag(h), dim=1)  # <- softmax-wrong-dim


torch.manual_seed(622)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.NLLLoss()
for step in range(60):
    ids = torch.randint(0, 40, (12, 9))
    loss = criterion(model(ids).view(-1, 6), (ids % 6).view(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
