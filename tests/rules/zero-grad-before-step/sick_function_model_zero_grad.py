"""Bag of words sentiment; the gradients are cleared through the model just before the step."""
# expects-under: loss-plateau
import torch
import torch.nn as nn
import torch.nn.functional as F


class BagOfWords(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab_size, dim, mode="mean")
        self.fc = nn.Linear(dim, 1)
        nn.init.normal_(self.bag.weight, std=0.1)
        nn.init.zeros_(self.fc.bias)

    def forward(self, tokens, offsets):
        return self.fc(self.bag(tokens, offsets)).squeeze(1)


def make_batches(count, size):
    for _ in range(count):
        sentiment = torch.randint(0, 2, (size,))
        lengths = torch.randint(5, 20, (size,))
        tokens = torch.cat([torch.randint(0, 100, (n,)) + 60 * s for n, s in zip(lengths.tolist(), sentiment.tolist())])
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
        yield tokens, offsets, sentiment.float()


def train(model, optimizer, epochs):
    for epoch in range(epochs):
        total = count = 0
        for tokens, offsets, sentiment in make_batches(30, 32):
            loss = F.binary_cross_entropy_with_logits(model(tokens, offsets), sentiment)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            model.zero_grad()  # <- zero-grad-before-step
            optimizer.step()
            total += loss.item()
            count += 1
        print(f"epoch {epoch} loss {total / count:.4f}")


if __name__ == "__main__":
    torch.manual_seed(37)
    net = BagOfWords(160, 16)
    train(net, torch.optim.SGD(net.parameters(), lr=1.0), epochs=4)
