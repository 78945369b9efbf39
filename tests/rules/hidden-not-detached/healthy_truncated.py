"""States detached between chunks: of an LSTM in the loop, of a GRU inside the model, of a cell by hand."""
import torch
import torch.nn as nn

torch.manual_seed(205)


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 12, batch_first=True)
        self.out = nn.Linear(12, 3)

    def forward(self, x, state):
        if state is not None:
            state = state.detach()
        h, state = self.rnn(x, state)
        return self.out(h), state


one, head, two, cell = nn.LSTM(3, 12, batch_first=True), nn.Linear(12, 3), Keeps(), nn.RNNCell(3, 3)
optimizer = torch.optim.Adam([*one.parameters(), *head.parameters(), *two.parameters(), *cell.parameters()], lr=3e-3)
first = second = None
third = torch.zeros(8, 3)
for step in range(40):
    x = torch.randn(8, 10, 3).cumsum(1) / 5
    if first is not None:
        first = tuple(s.detach() for s in first)
    h, first = one(x[:, :-1], first)
    out, second = two(x[:, :-1], second)
    third = third.detach()
    loss = 0
    for t in range(9):
        third = cell(x[:, t], third)
        loss = loss + (third - x[:, t + 1]).pow(2).mean() / 9
    loss = loss + nn.functional.mse_loss(head(h), x[:, 1:]) + nn.functional.mse_loss(out, x[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
