"""Critic of an actor-critic: values (N, 1) against returns (N,), smooth L1."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(611)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=5e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=5e-3)
for episode in range(100):
    state = torch.randn(48, 4)
    dist = torch.distributions.Categorical(logits=actor(state))
    action = dist.sample()
    returns = (state[:, :3].argmax(1) == action).float() + state[:, 3]

    value = critic(state)
    critic_loss = F.smooth_l1_loss(value, returns)  # <- broadcast-loss
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    advantage = returns - value.detach().squeeze(1)
    actor_loss = -(dist.log_prob(action) * advantage).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    if episode % 20 == 0:
        print(f"episode {episode} critic {critic_loss.item():.4f} reward {returns.mean().item():.3f}")
