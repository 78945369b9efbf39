"""An IndexError that has nothing to do with a table: the script walks past the end of its own list of rates."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(739)
rates = [0.1, 0.05, 0.02]
embedding = nn.Embedding(20, 8)
out = nn.Linear(8, 20)
optimizer = torch.optim.SGD([*embedding.parameters(), *out.parameters()], lr=rates[0])
ids = torch.randint(0, 20, (400,))
for epoch in range(4):
    optimizer.param_groups[0]["lr"] = rates[epoch]
    for batch in ids.split(20):
        loss = nn.functional.cross_entropy(out(embedding(batch)), (batch + 1) % 20)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
