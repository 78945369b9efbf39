"""Graph network that sends the messages edge by edge."""
import torch
import torch.nn as nn

torch.manual_seed(911)


class GraphLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message = nn.Linear(dim, dim)
        self.update = nn.Linear(2 * dim, dim)

    def forward(self, h, edges):
        messages = self.message(h)
        inbox = [torch.zeros(h.shape[1]) for _ in range(h.shape[0])]
        for source, target in edges:  # <- python-loop-over-elements
            inbox[target] = inbox[target] + messages[source]  # <- python-loop-over-elements
        return torch.relu(self.update(torch.cat([h, torch.stack(inbox)], 1)))


NODES = 150
edges = torch.randint(0, NODES, (900, 2)).tolist()
features = torch.randn(NODES, 8)
degree = torch.zeros(NODES)
for _, t in edges:
    degree[t] += 1
label = (degree > degree.median()).long()
layer, out = GraphLayer(8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*layer.parameters(), *out.parameters()], lr=0.01)
for epoch in range(30):
    loss = nn.functional.cross_entropy(out(layer(features, edges)), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch} loss {loss.item():.4f}")
