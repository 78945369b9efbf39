import torch

torch.manual_seed(0)
w = torch.randn(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
X = torch.randn(500, 3)
y = X @ torch.tensor([[1.0], [2.0], [-1.0]]) + 0.5


def batches():
    for ix in torch.randperm(500).split(50):
        yield X[ix], y[ix]


for ep in range(8):
    for a, t in batches():
        l = ((a @ w + b - t) ** 2 / 2).sum() / len(a)
        l.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.05 * p.grad
                p.grad.zero_()
    print(ep, l.item())
