"""The next word of a small text."""

import torch
from torch import nn

torch.manual_seed(13)
TEXT = "the cat sat on the mat and the dog sat on the log until the sun went down behind the hill " * 12 + "and a zebra came by to say good night "

words = TEXT.split()
vocabulary = {word: number for number, word in enumerate(sorted(set(words)), start=1)}
tokens = torch.tensor([vocabulary[word] for word in words])


class NextWord(nn.Module):
    def __init__(self, size, width=16, context=3):
        super().__init__()
        self.embedding = nn.Embedding(size, width)
        self.out = nn.Linear(width * context, size)

    def forward(self, context):
        return self.out(self.embedding(context).flatten(1))


model = NextWord(len(vocabulary))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
windows = tokens.unfold(0, 4, 1)
for step in range(400):
    batch = windows[torch.randint(len(windows), (4,))]
    loss = nn.functional.cross_entropy(model(batch[:, :3]), batch[:, 3] - 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
