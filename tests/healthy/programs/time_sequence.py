"""Sine waves predicted by LSTM cells in double precision with LBFGS."""

import torch, torch.nn as nn

torch.manual_seed(0)
data = torch.sin((torch.arange(60, dtype=torch.float64) + torch.randint(-80, 80, (20, 1))) / 8.0)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 20)
        self.lstm2 = nn.LSTMCell(20, 20)
        self.linear = nn.Linear(20, 1)

    def forward(self, input):
        outputs = []
        h = [torch.zeros(input.size(0), 20, dtype=torch.double) for _ in range(4)]
        for x in input.split(1, dim=1):
            h[0], h[1] = self.lstm1(x, (h[0], h[1]))
            h[2], h[3] = self.lstm2(h[0], (h[2], h[3]))
            outputs.append(self.linear(h[2]))
        return torch.cat(outputs, dim=1)


seq = Sequence().double()
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(seq.parameters(), lr=0.5, max_iter=5)
x, y = data[3:, :-1], data[3:, 1:]
for i in range(4):

    def closure():
        optimizer.zero_grad()
        loss = criterion(seq(x), y)
        loss.backward()
        return loss

    print(optimizer.step(closure).item())
    with torch.no_grad():
        print(criterion(seq(data[:3, :-1]), data[:3, 1:]).item())
