"""PPO: the policy acts under no_grad, then the same states are evaluated again with gradients."""
import torch
import torch.nn as nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 3), nn.Linear(32, 1)

    def forward(self, state):
        h = self.body(state)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class PPO:
    def __init__(self):
        self.net = ActorCritic()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=5e-3)

    @torch.no_grad()
    def rollout(self, n=128):
        state = torch.randn(n, 4)
        dist, value = self.net(state)
        action = dist.sample()
        reward = (state[:, :3].argmax(1) == action).float()
        return state, action, dist.log_prob(action), reward, reward - value

    def update(self, state, action, old_logp, ret, advantage):
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        for _ in range(3):
            dist, value = self.net(state)
            ratio = (dist.log_prob(action) - old_logp).exp()
            policy = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            loss = policy + 0.5 * (value - ret).pow(2).mean() - 0.01 * dist.entropy().mean()
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
            self.optimizer.step()
        return loss.item(), ret.mean().item()


torch.manual_seed(431)
agent = PPO()
for iteration in range(40):
    loss, reward = agent.update(*agent.rollout())
    if iteration % 10 == 0:
        print(f"iteration {iteration} loss {loss:.4f} reward {reward:.3f}")
