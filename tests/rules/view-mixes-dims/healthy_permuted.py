"""States, heads and pictures with their dimensions exchanged before they are merged."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.rnn = nn.LSTM(32, 16, bidirectional=True, batch_first=True)
        self.qkv = nn.Linear(32, 96)
        self.head = nn.Linear(64, 2)

    def forward(self, x):
        features = self.conv(x.permute(0, 3, 1, 2)).permute(0, 2, 1, 3).flatten(2)  # rows of a picture as time
        out, (state, _) = self.rnn(features)
        state = state.transpose(0, 1).reshape(x.shape[0], -1)
        q, k, v = (t.view(t.shape[0], t.shape[1], 4, 8).transpose(1, 2) for t in self.qkv(out).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).contiguous().view(out.shape)
        return self.head(torch.cat([state, mixed.mean(1)], 1))


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(80):
    y = torch.randint(0, 2, (24,))
    x = torch.rand(24, 6, 4, 3) + 0.4 * y[:, None, None, None]
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
