"""LSTM word model with truncated backpropagation, clipping and a decayed rate."""

import torch, torch.nn as nn

torch.manual_seed(0)
chain = torch.randint(0, 60, (60, 3))
words = [0]
for _ in range(6000):
    words.append(int(chain[words[-1], torch.randint(0, 3, (1,))]))
data = torch.tensor(words)[:6000].view(20, -1).t().contiguous()


class RNNModel(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.drop = nn.Dropout(0.1)
        self.encoder = nn.Embedding(n, d)
        self.rnn = nn.LSTM(d, d, 2, dropout=0.1)
        self.decoder = nn.Linear(d, n)
        self.d = d
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, x, h):
        out, h = self.rnn(self.drop(self.encoder(x)), h)
        return self.decoder(self.drop(out)).view(-1, 60), h

    def init_hidden(self, b):
        w = next(self.parameters())
        return w.new_zeros(2, b, self.d), w.new_zeros(2, b, self.d)


model = RNNModel(60, 48)
lr = 5.0
criterion = nn.CrossEntropyLoss()


def evaluate(src):
    model.eval()
    total = 0
    h = model.init_hidden(20)
    with torch.no_grad():
        for i in range(0, len(src) - 1, 20):
            x, y = src[i : i + 20], src[i + 1 : i + 21].reshape(-1)
            if len(x) * 20 != len(y):
                break
            out, h = model(x, h)
            total += criterion(out, y).item()
    return total


best = None
for epoch in range(6):
    model.train()
    h = model.init_hidden(20)
    for i in range(0, 239, 20):
        x, y = data[i : i + 20], data[i + 1 : i + 21].reshape(-1)
        if len(x) * 20 != len(y):
            break
        model.zero_grad()
        h = tuple(v.detach() for v in h)
        out, h = model(x, h)
        loss = criterion(out, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
    val = evaluate(data[240:])
    if best is None or val < best:
        best = val
    else:
        lr /= 4
    print(epoch, loss.item(), val)
