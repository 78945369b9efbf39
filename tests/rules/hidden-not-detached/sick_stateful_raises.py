"""A GRU's state is handed on from chunk to chunk: the second backward fails."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(201)
wave = torch.sin(torch.arange(2000.0) / 9).view(8, -1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 16, batch_first=True)
        self.out = nn.Linear(16, 1)

    def forward(self, x, state):
        h, state = self.rnn(x, state)
        return self.out(h), state


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
state = None
for start in range(0, 225, 15):
    x, y = wave[:, start : start + 15, None], wave[:, start + 1 : start + 16, None]
    out, state = net(x, state)  # <- hidden-not-detached
    loss = nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()  # <- hidden-not-detached
    optimizer.step()
