"""Bag of n-grams by convolution, padded batches by a collate function, validation with early stopping."""

import torch, torch.nn as nn
from torch.utils.data import DataLoader

torch.manual_seed(9)


def sample(i):
    g = torch.Generator().manual_seed(i)
    n = int(torch.randint(5, 20, (1,), generator=g))
    t = torch.randint(2, 100, (n,), generator=g)
    y = i % 2
    if y:
        t[n // 2] = 1
    return t, y


def collate(b):
    return nn.utils.rnn.pad_sequence([t for t, _ in b], batch_first=True), torch.tensor([y for _, y in b]).float()


class Net(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(100, 16, padding_idx=0)
        s.c = nn.ModuleList(nn.Conv1d(16, 12, k, padding=k // 2) for k in (1, 3, 5))
        s.d = nn.Dropout(0.3)
        s.o = nn.Linear(36, 1)

    def forward(s, x):
        x = s.e(x).transpose(1, 2)
        return s.o(s.d(torch.cat([c(x).relu().amax(2) for c in s.c], 1))).squeeze(1)


net = Net()
opt = torch.optim.AdamW(net.parameters(), 3e-3)
crit = nn.BCEWithLogitsLoss()
train = DataLoader([sample(i) for i in range(600)], 32, shuffle=True, collate_fn=collate)
val = DataLoader([sample(i) for i in range(600, 760)], 32, collate_fn=collate)
best = 9
for epoch in range(6):
    net.train()
    for x, y in train:
        opt.zero_grad()
        loss = crit(net(x), y)
        loss.backward()
        opt.step()
    net.eval()
    with torch.inference_mode():
        v = sum(crit(net(x), y).item() for x, y in val) / len(val)
    print(epoch, loss.item(), v)
    if v > best:
        break
    best = v
