"""Two heads start at zero, as policies and values often do, behind a random trunk."""

import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.policy = nn.Linear(32, 3)
        self.value = nn.Linear(32, 1)
        for head in (self.policy, self.value):
            nn.init.constant_(head.weight, 0.0)
            nn.init.constant_(head.bias, 0.0)

    def forward(self, x):
        hidden = self.trunk(x)
        return self.policy(hidden), self.value(hidden).squeeze(-1)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(100):
    x = torch.randn(64, 8)
    best = x[:, :3].argmax(1)
    scores, value = model(x)
    choice = torch.distributions.Categorical(logits=scores)
    action = choice.sample()
    reward = (action == best).float()
    advantage = reward - value
    loss = -(choice.log_prob(action) * advantage.detach()).mean() + 0.5 * advantage.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
