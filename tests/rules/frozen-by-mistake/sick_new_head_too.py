"""The new head is put in before the freezing, which catches it as well: nothing is left to learn."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(112)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 9))
model.load_state_dict({name: value.clone() for name, value in model.state_dict().items()})
model[2] = nn.Linear(32, 3)
for p in model.parameters():  # <- frozen-by-mistake
    p.requires_grad = False  # <- frozen-by-mistake
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
