"""ModuleList, ModuleDict and ParameterList register what they hold."""
import torch
import torch.nn as nn


class Mixture(nn.Module):
    def __init__(self, inputs, experts, tasks):
        super().__init__()
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(inputs, 24), nn.ReLU()) for _ in range(experts))
        self.gates = nn.ParameterList(nn.Parameter(0.1 * torch.randn(inputs, experts)) for _ in tasks)
        self.heads = nn.ModuleDict({name: nn.Linear(24, n) for name, n in tasks.items()})

    def forward(self, x):
        outputs = torch.stack([expert(x) for expert in self.experts], 1)
        result = {}
        for gate, (name, head) in zip(self.gates, self.heads.items()):
            weight = (x @ gate).softmax(1).unsqueeze(-1)
            result[name] = head((weight * outputs).sum(1))
        return result


torch.manual_seed(217)
x = torch.randn(800, 10)
truth = {"side": (x[:, 0] > 0).long(), "octant": x[:, :4].argmax(1)}
model = Mixture(10, 3, {"side": 2, "octant": 4})
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for rows in torch.randperm(800).split(40):
        out = model(x[rows])
        loss = sum(nn.functional.cross_entropy(out[k], truth[k][rows]) for k in out)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
