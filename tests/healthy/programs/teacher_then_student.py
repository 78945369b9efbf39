import copy
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
x = torch.randn(2400, 20)
y = (x[:, :10].abs().sum(1) > x[:, 10:].abs().sum(1)).long()
train, valid = TensorDataset(x[:2000], y[:2000]), TensorDataset(x[2000:], y[2000:])


def fit(model, loss_fn, epochs, lr):
    opt = torch.optim.Adam(model.parameters(), lr)
    for epoch in range(epochs):
        model.train()
        for a, b in DataLoader(train, 64, shuffle=True, drop_last=True):
            loss = loss_fn(model, a, b)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            print(epoch, loss.item(), sum((model(a).argmax(1) == b).sum().item() for a, b in DataLoader(valid, 200)) / 400)


teacher = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))
fit(teacher, lambda m, a, b: F.cross_entropy(m(a), b), 6, 2e-3)
teacher = copy.deepcopy(teacher).eval().requires_grad_(False)
student = nn.Sequential(nn.Linear(20, 24), nn.ReLU(), nn.Linear(24, 2))


def distil(m, a, b, T=2.0):
    with torch.no_grad():
        soft = F.softmax(teacher(a) / T, 1)
    out = m(a)
    return 0.7 * T * T * F.kl_div(F.log_softmax(out / T, 1), soft, reduction="batchmean") + 0.3 * F.cross_entropy(out, b)


fit(student, distil, 6, 5e-3)
