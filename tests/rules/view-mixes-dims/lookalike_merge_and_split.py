"""Batch and time merged for a convolution and split again, windows, shuffled channels, pixels shuffled, frames stacked two by two."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.inside = nn.Linear(8, 8)
        self.frames = nn.LSTM(64, 16, num_layers=2, bidirectional=True)
        self.pyramid = nn.LSTM(64, 8, batch_first=True)
        self.mix = nn.MultiheadAttention(32, 4)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        b, t = x.shape[:2]
        f = self.conv(x.view(b * t, 3, 4, 4))
        f = f.view(b * t, 2, 4, 4, 4).transpose(1, 2).reshape(b * t, 8, 4, 4)
        windows = f.view(b * t, 8, 2, 2, 2, 2).permute(0, 2, 4, 3, 5, 1).reshape(-1, 4, 8)
        f = f + self.inside(windows).view(b * t, 2, 2, 2, 2, 8).permute(0, 5, 1, 3, 2, 4).reshape(b * t, 8, 4, 4)
        up = nn.functional.pixel_shuffle(f, 2)
        f = torch.cat([f.flatten(1)[:, :64], up.view(b * t, 2, 4, 2, 4, 2).mean((3, 5)).flatten(1)], 1)[:, :64]
        out, (h, c) = self.frames(f.view(b, t, -1).transpose(0, 1))
        h = h.view(2, 2, b, 16)[-1].transpose(0, 1).reshape(b, -1)
        two, _ = self.pyramid(out.transpose(0, 1).reshape(b, t // 2, 64))
        seen, _ = self.mix(out, out, out)
        return self.head(torch.cat([two[:, -1], seen.mean(0)[:, :8] + h[:, :8]], 1))


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(480, 16, 3, 4, 4)
y = (x[:, :, 0].mean((1, 2, 3)) > 0).long()
for epoch in range(3):
    for at in range(0, 480, 24):
        loss = nn.functional.cross_entropy(model(x[at : at + 24]), y[at : at + 24])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
