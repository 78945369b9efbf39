"""DDPG: the actor's loss runs through the critic and leaves gradients in it; the critic clears them before its own backward."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(67)
actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=3e-3)

for step in range(150):
    state = torch.rand(64, 3) * 2 - 1
    action = (actor(state) + 0.2 * torch.randn(64, 1)).clamp(-1, 1).detach()
    reward = -(action - state.mean(1, keepdim=True)).pow(2)

    q = critic(torch.cat([state, action], 1))
    critic_loss = F.mse_loss(q, reward)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()

    actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    if step % 30 == 0:
        print(f"step {step} critic {critic_loss.item():.4f} actor {actor_loss.item():.4f} reward {reward.mean().item():.4f}")
