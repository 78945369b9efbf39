"""Long sequences are cut to the window; relative positions are clamped to the range of their table."""
import torch
import torch.nn as nn


class Relative(nn.Module):
    def __init__(self, vocab, dim, reach, window):
        super().__init__()
        self.window, self.reach = window, reach
        self.tokens = nn.Embedding(vocab, dim)
        self.absolute = nn.Embedding(window, dim)
        self.bias = nn.Embedding(2 * reach + 1, 1)
        self.out = nn.Linear(dim, 2)

    def forward(self, ids):
        ids = ids[:, -self.window :]
        n = ids.shape[1]
        offset = torch.arange(n)[:, None] - torch.arange(n)[None]
        bias = self.bias(offset.clamp(-self.reach, self.reach) + self.reach).squeeze(-1)
        h = self.tokens(ids) + self.absolute(torch.arange(n))
        weights = (h @ h.transpose(1, 2) / h.shape[-1] + bias).softmax(-1)
        return self.out((weights @ h).mean(1))


torch.manual_seed(2213)
model = Relative(40, 16, 4, 12)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(80):
    ids = torch.randint(0, 40, (24, int(torch.randint(8, 30, (1,)))))
    loss = nn.functional.cross_entropy(model(ids), (ids[:, -8:].float().mean(1) > 19.5).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
