"""A policy-gradient loss means nothing by its size: it need not fall while the policy improves."""
import torch
import torch.nn as nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for episode in range(120):
    state, log_probabilities, rewards = torch.randn(4), [], []
    for _ in range(10):
        choice = torch.distributions.Categorical(logits=policy(state))
        action = choice.sample()
        log_probabilities.append(choice.log_prob(action))
        rewards.append(float((state[0] > 0) == bool(action)))
        state = torch.randn(4)
    gains = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    advantages = (gains - gains.mean()) / (gains.std() + 1e-6)
    loss = -(torch.stack(log_probabilities) * advantages).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
