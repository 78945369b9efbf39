"""The LSTM's state lives on the module; in a trainer class."""
# exits: 1
import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 12)
        self.rnn = nn.LSTM(12, 16, batch_first=True)
        self.out = nn.Linear(16, 20)
        self.state = None

    def forward(self, tokens):
        h, self.state = self.rnn(self.emb(tokens), self.state)  # <- hidden-not-detached
        return self.out(h)


class Trainer:
    def __init__(self):
        self.model = Tagger()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.5)

    def step(self, tokens):
        scores = self.model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())
        self.optimizer.zero_grad()
        loss.backward()  # <- hidden-not-detached
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(202)
    trainer = Trainer()
    for number in range(30):
        print(trainer.step((torch.arange(9) * 3 + torch.arange(6)[:, None] + number) % 20))
