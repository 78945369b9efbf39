"""LSTM language model: carried state, packed sequences, ignored labels, sparse embedding gradients with a second optimizer."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from traces import report


class Model(nn.Module):
    def __init__(self, vocab=20, width=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, width, sparse=True)
        self.lstm = nn.LSTM(width, width, 2, batch_first=True, dropout=0.1)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids, lengths, state=None):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        h, state = self.lstm(packed, state)
        return self.out(pad_packed_sequence(h, batch_first=True)[0]), state


torch.manual_seed(3)
model = Model()
dense = torch.optim.Adam([*model.lstm.parameters(), *model.out.parameters()], lr=3e-3)
sparse = torch.optim.SparseAdam(model.embed.parameters(), lr=3e-3)
losses, state = [], None
for _step in range(40):
    lengths = torch.randint(5, 13, (8,))
    lengths[0] = 12
    ids = (torch.randint(0, 20, (8, 1)) + 3 * torch.arange(13)) % 20
    target = ids[:, 1:].masked_fill(torch.arange(12) >= lengths[:, None], -100)
    logits, state = model(ids[:, :-1], lengths, state)
    state = tuple(s.detach() for s in state)
    loss = F.cross_entropy(logits.transpose(1, 2), target)
    for optimizer in (dense, sparse):
        optimizer.zero_grad(set_to_none=False)
    loss.backward()
    for optimizer in (dense, sparse):
        optimizer.step()
    losses.append(loss.item())
report(losses, model=model, dense=dense, sparse=sparse)
