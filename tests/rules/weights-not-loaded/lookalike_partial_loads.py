"""A body under a new head, adapters, a larger checkpoint, and a second attempt that fits."""
import torch
import torch.nn as nn

torch.manual_seed(35)


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)
        self.adapter = nn.Linear(32, 32, bias=False)

    def forward(self, x):
        h = self.body(x)
        return self.head(h + self.adapter(h))


model = Net(3)
print(model.load_state_dict(nn.ModuleDict({"body": nn.Sequential(nn.Linear(6, 32))}).state_dict(), strict=False))
print(model.load_state_dict({"adapter.weight": torch.zeros(32, 32)}, strict=False))
prefixed = {f"module.{name}": value for name, value in Net(3).state_dict().items()}
result = model.load_state_dict(prefixed, strict=False)
if result.missing_keys:
    model.load_state_dict({name.removeprefix("module."): value for name, value in prefixed.items()})
small = nn.Linear(6, 3)
print(small.load_state_dict({**small.state_dict(), "weight": torch.zeros(3, 6), "more": torch.zeros(1), "extra": torch.zeros(2)}, strict=False))
x = torch.randn(600, 6)
y = x[:, :3].argmax(1)
optimizer = torch.optim.Adam([*model.parameters(), *small.parameters()], lr=1e-2)
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]) + small(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
