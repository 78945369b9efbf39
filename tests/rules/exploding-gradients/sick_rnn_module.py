"""nn.RNN with ReLU and recurrent weights scaled up, in a trainer class."""
# accepts: init-scale
# allows: loss-diverges, lr-too-high, loss-plateau, exp-overflow, dead-relu

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(3, 20, nonlinearity="relu", batch_first=True)
        self.head = nn.Linear(20, 4)
        self.rnn.weight_hh_l0.data.normal_(0, 0.6)  # <- exploding-gradients, init-scale

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def fit(self, steps):
        for _ in range(steps):
            x = torch.randn(24, 50, 3)
            loss = nn.functional.cross_entropy(self.model(x), torch.randint(0, 4, (24,)))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


torch.manual_seed(0)
Trainer(Model()).fit(50)
