"""A cell written by hand; retain_graph silences the error, gradients are added up over a sequence, and each step goes further back."""
# allows: accumulation-not-averaged, loss-plateau, exploding-gradients
import torch


def train():
    torch.manual_seed(203)
    inner, outer, read = (torch.nn.Parameter(torch.randn(n, m) / n**0.5) for n, m in ((12, 12), (3, 12), (12, 1)))
    optimizer = torch.optim.Adam([inner, outer, read], lr=1e-3)
    for _sequence in range(6):
        h = torch.zeros(10, 12)
        optimizer.zero_grad()
        x = torch.randn(16, 10, 3)
        for part in x:
            h = torch.tanh(part @ outer + h @ inner)  # <- hidden-not-detached
            loss = (h @ read - part[:, :1]).pow(2).mean() / 16
            loss.backward(retain_graph=True)  # <- hidden-not-detached
        optimizer.step()
        print(loss.item())


train()
