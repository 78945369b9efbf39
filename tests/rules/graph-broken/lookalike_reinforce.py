"""REINFORCE with a learned baseline: advantages are detached, actions are sampled and sent to a numpy environment."""
import numpy as np
import torch
import torch.nn as nn


class Bandit:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self, n):
        self.state = self.rng.normal(size=(n, 4)).astype(np.float32)
        return self.state

    def step(self, action):
        return (self.state.argmax(1) == action).astype(np.float32)


torch.manual_seed(337)
env = Bandit(337)
body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
actor, critic = nn.Linear(32, 4), nn.Linear(32, 1)
optimizer = torch.optim.Adam([*body.parameters(), *actor.parameters(), *critic.parameters()], lr=0.01)
for episode in range(120):
    state = torch.from_numpy(env.reset(64))
    h = body(state)
    dist = torch.distributions.Categorical(logits=actor(h))
    action = dist.sample()
    reward = torch.from_numpy(env.step(action.numpy()))
    value = critic(h).squeeze(1)
    advantage = (reward - value).detach()
    loss = -(dist.log_prob(action) * advantage).mean() + 0.5 * (value - reward).pow(2).mean() - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if episode % 30 == 0:
        print(f"episode {episode} reward {reward.mean().item():.3f} loss {loss.item():.4f}")
