"""Next character of a repeated phrase, GRU, training step in a function, functional loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = "the quick brown fox jumps over the lazy dog and runs away from the sleepy cat. " * 12


class CharModel(nn.Module):
    def __init__(self, vocab, width=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.gru = nn.GRU(24, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        hidden, _ = self.gru(self.embed(ids))
        return self.out(hidden)


def batches(ids, length, size, generator):
    starts = torch.randint(0, len(ids) - length - 1, (size,), generator=generator)
    window = torch.stack([ids[s : s + length + 1] for s in starts.tolist()])
    return window[:, :-1], window[:, 1:]


def train(steps=70):
    torch.manual_seed(11)
    generator = torch.Generator().manual_seed(11)
    chars = sorted(set(TEXT))
    lookup = {c: i for i, c in enumerate(chars)}
    ids = torch.tensor([lookup[c] for c in TEXT])
    model = CharModel(len(chars))
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(steps):
        x, y = batches(ids, 20, 16, generator)
        logits = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss.backward()  # <- missing-zero-grad
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()  # <- missing-zero-grad
        if step % 10 == 0:
            print(f"step {step:3d} loss {loss.item():.3f}")


if __name__ == "__main__":
    train()
