"""REINFORCE with episodes in a class: the minus of the policy loss is missing."""
import torch
from torch import nn


class Agent:
    def __init__(self, actions):
        self.policy = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, actions))
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=5e-3)

    def act(self, state):
        dist = torch.distributions.Categorical(logits=self.policy(state))
        action = dist.sample()
        return action, dist.log_prob(action)

    def learn(self, log_probs, rewards):
        returns, total = [], torch.zeros(())
        for reward in reversed(rewards):
            total = reward + 0.9 * total
            returns.insert(0, total)
        returns = torch.stack(returns)
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        loss = (torch.stack(log_probs) * returns).sum()  # <- loss-sign
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(652)
agent = Agent(2)
for episode in range(60):
    state, log_probs, rewards = torch.zeros(3), [], []
    for _ in range(12):
        action, log_prob = agent.act(state)
        state = 0.8 * state + torch.tensor([1.0, -0.5, 0.2]) * (2.0 * action - 1) + 0.1 * torch.randn(3)
        log_probs.append(log_prob)
        rewards.append(-state.abs().sum() + 1)
    value = agent.learn(log_probs, rewards)
    if episode % 20 == 19:
        print(episode, value, sum(rewards).item())
