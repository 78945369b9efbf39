"""One test at the end, in a function under inference_mode."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 24, num_layers=2, dropout=0.4, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


@torch.inference_mode()
def test(model, x, y):
    return nn.functional.mse_loss(model(x), y).item()  # <- missing-eval-mode


def main():
    torch.manual_seed(122)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(70):
        x = torch.randn(32, 7, 4)
        loss = nn.functional.mse_loss(model(x), x.mean((1, 2))[:, None])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    x = torch.randn(64, 7, 4)
    print(loss.item(), test(model, x, x.mean((1, 2))[:, None]))


main()
