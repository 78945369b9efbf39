"""A language model of a random source: it falls from ln V to the entropy of the source and stays there."""
import torch
import torch.nn as nn

torch.manual_seed(1663)
V = 12
transition = (2.5 * torch.randn(V, V)).softmax(1)
text = torch.zeros(16, 201, dtype=torch.long)
for t in range(1, 201):
    text[:, t] = torch.multinomial(transition[text[:, t - 1]], 1).squeeze(1)
embed, rnn, out = nn.Embedding(V, 24), nn.GRU(24, 32, batch_first=True), nn.Linear(32, V)
optimizer = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *out.parameters()], lr=1e-2)
for epoch in range(14):
    total = 0.0
    for c in range(0, 200, 20):
        h, _ = rnn(embed(text[:, c : c + 20]))
        loss = nn.functional.cross_entropy(out(h).transpose(1, 2), text[:, c + 1 : c + 21])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 2 == 0:
        print(f"epoch {epoch} loss {total / 10:.4f}")
