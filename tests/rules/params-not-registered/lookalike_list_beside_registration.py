"""The list is only for iterating: each layer is also an attribute, and the embedding is tied to the output."""
import torch
import torch.nn as nn


class TinyLM(nn.Module):
    def __init__(self, vocab=20, dim=24, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        nn.init.normal_(self.embed.weight, std=0.1)
        self.stages = []
        for i in range(depth):
            layer = nn.GRU(dim, dim, batch_first=True)
            setattr(self, f"gru{i}", layer)
            self.stages.append(layer)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, ids):
        h = self.embed(ids)
        for layer in self.stages:
            h = h + layer(h)[0]
        return self.out(self.norm(h))


torch.manual_seed(223)
model = TinyLM()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for step in range(80):
    start = torch.randint(0, 20, (16, 1))
    ids = (start + 3 * torch.arange(13)) % 20
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 15 == 0:
        print(f"step {step} loss {loss.item():.4f}")
