"""Passes without gradients that are meant in training mode: statistics gathered anew, a roll-out before every step."""
import torch
import torch.nn as nn

torch.manual_seed(124)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
batches = [torch.randn(32, 8) for _ in range(60)]
for x in batches:
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.optim.swa_utils.update_bn(batches, model)

policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
for _ in range(60):
    states = torch.randn(32, 4)
    with torch.no_grad():
        actions = torch.distributions.Categorical(logits=policy(states)).sample()
    rewards = (actions == (states[:, 0] > 0)).float()
    chance = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
    loss = -(chance * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
