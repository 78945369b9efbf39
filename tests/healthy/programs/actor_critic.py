"""Actor-critic on a made-up corridor."""

import torch, torch.nn as nn, torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(543)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(3, 32)
        self.action_head = nn.Linear(32, 2)
        self.value_head = nn.Linear(32, 1)
        self.saved_actions = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for episode in range(60):
    place = torch.randn(1).item()
    for t in range(15):
        probs, value = model(torch.tensor([place, abs(place), 1.0]))
        m = Categorical(probs)
        action = m.sample()
        model.saved_actions.append((m.log_prob(action), value))
        place += 0.3 * (1 if action.item() else -1)
        model.rewards.append(-abs(place))
    R = 0
    returns = []
    for r in model.rewards[::-1]:
        R = r + 0.9 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    pl, vl = [], []
    for (lp, v), R in zip(model.saved_actions, returns):
        pl.append(-lp * (R - v.item()))
        vl.append(F.smooth_l1_loss(v, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(pl).sum() + torch.stack(vl).sum()
    loss.backward()
    optimizer.step()
    del model.rewards[:]
    del model.saved_actions[:]
print(loss.item())
