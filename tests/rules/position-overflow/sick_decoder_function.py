"""A language model in plain functions whose window is longer than its table of positions."""
# exits: 1
# accepts: embedding-too-small
import torch
import torch.nn as nn
import torch.nn.functional as F


def build(vocab, dim, block):
    return nn.ModuleDict({
        "tokens": nn.Embedding(vocab, dim),
        "positions": nn.Embedding(block, dim),  # <- position-overflow
        "mix": nn.GRU(dim, dim, batch_first=True),
        "out": nn.Linear(dim, vocab),
    })


def logits(model, ids):
    position = torch.arange(ids.size(1), device=ids.device).unsqueeze(0)
    h = model["tokens"](ids) + model["positions"](position)  # <- position-overflow
    return model["out"](model["mix"](h)[0])


def main(block=24, window=32):
    torch.manual_seed(2203)
    text = (torch.arange(2000) * 7) % 30
    model = build(30, 16, block)  # <- position-overflow
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(40):
        starts = torch.randint(0, 1900, (8,))
        batch = torch.stack([text[s : s + window + 1] for s in starts.tolist()])
        loss = F.cross_entropy(logits(model, batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())  # <- position-overflow
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())


main()
