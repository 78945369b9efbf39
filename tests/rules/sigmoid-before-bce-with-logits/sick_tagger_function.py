"""A multi-label tagger in a class; torch.sigmoid in forward, the function with logits in a training step."""
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocabulary=60, labels=6):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocabulary, 24)
        self.out = nn.Linear(24, labels)

    def forward(self, ids):
        h = torch.tanh(self.bag(ids))
        return torch.sigmoid(self.out(h))  # <- sigmoid-before-bce-with-logits


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)

    def step(self, ids, labels):
        probs = self.net(ids)
        loss = F.binary_cross_entropy_with_logits(probs, labels)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(602)
    trainer = Trainer(Tagger(), lr=0.5)
    for step in range(60):
        ids = torch.randint(0, 60, (32, 10))
        labels = torch.stack([(ids % 6 == k).any(1) for k in range(6)], 1).float()
        value = trainer.step(ids, labels)
        if step % 20 == 19:
            print(step, value)
