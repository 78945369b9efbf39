"""ESPCN: sub-pixel convolution, MSE, PSNR in validation."""

import math, torch, torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
hi = torch.nn.functional.interpolate(torch.rand(160, 1, 6, 6), size=24, mode="bicubic", align_corners=False)
lo = nn.functional.avg_pool2d(hi, 2)


class Net(nn.Module):
    def __init__(self, up):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 32, 5, 1, 2)
        self.conv2 = nn.Conv2d(32, 16, 3, 1, 1)
        self.conv3 = nn.Conv2d(16, up * up, 3, 1, 1)
        self.shuffle = nn.PixelShuffle(up)
        for c in (self.conv1, self.conv2):
            nn.init.orthogonal_(c.weight, nn.init.calculate_gain("relu"))
        nn.init.orthogonal_(self.conv3.weight)

    def forward(self, x):
        return self.shuffle(self.conv3(self.relu(self.conv2(self.relu(self.conv1(x))))))


model = Net(2)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
train = DataLoader(TensorDataset(lo[:128], hi[:128]), 16, shuffle=True)
test = DataLoader(TensorDataset(lo[128:], hi[128:]), 16)
for epoch in range(4):
    for x, y in train:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        psnr = sum(10 * math.log10(1 / criterion(model(x), y).item()) for x, y in test) / len(test)
    model.train()
    print(epoch, loss.item(), psnr)
