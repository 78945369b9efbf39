"""Policy gradients with their minus, on costs without one, with a clipped ratio and an entropy bonus; all improve."""
import torch
from torch import nn
from torch.distributions import Categorical, Normal

torch.manual_seed(658)
actor, critic = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 3)), nn.Linear(4, 1)
pusher = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters(), *pusher.parameters()], lr=5e-3)
for step in range(60):
    state = torch.randn(48, 4)
    dist = Categorical(logits=actor(state))
    action = dist.sample()
    reward = (state[:, :3].argmax(1) == action).float()
    value = critic(state).squeeze(1)
    advantage = (reward - value).detach()
    old = dist.log_prob(action).detach()
    ratio = (dist.log_prob(action) - old).exp()
    clipped = ratio.clamp(0.8, 1.2)
    actor_loss = -torch.min(ratio * advantage, clipped * advantage).mean() - 0.01 * dist.entropy().mean()
    push = Normal(pusher(state).squeeze(1), 0.5)
    force = push.sample()
    cost = (force - state[:, 0]).abs()
    push_loss = (push.log_prob(force) * (cost - cost.mean())).mean()
    loss = actor_loss + 0.5 * (value - reward).pow(2).mean() + push_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, reward.mean().item(), cost.mean().item())
