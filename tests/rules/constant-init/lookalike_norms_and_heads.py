"""LayerNorm weights of one, a constant last layer, a layer of one unit, forget biases of one."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 16, padding_idx=0)
        self.rnn = nn.LSTM(16, 16, batch_first=True)
        for name, parameter in self.rnn.named_parameters():
            if "bias" in name:
                nn.init.constant_(parameter, 0.0)
                parameter.data[16:32].fill_(1.0)
        self.norm = nn.LayerNorm(16)
        self.gate = nn.Linear(16, 1)
        nn.init.constant_(self.gate.weight, 0.1)
        self.head = nn.Linear(16, 3)
        nn.init.constant_(self.head.weight, 0.05)

    def forward(self, tokens):
        hidden = self.norm(self.rnn(self.embed(tokens))[0])
        weights = self.gate(hidden).softmax(1)
        return self.head((weights * hidden).sum(1))


torch.manual_seed(0)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(160):
    tokens = torch.randint(1, 12, (32, 7))
    loss = nn.functional.cross_entropy(model(tokens), tokens[:, -1] % 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
