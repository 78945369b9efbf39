"""Stop-gradients on purpose: an advantage, a target copy, a SimSiam branch; each part learns by another term."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(154)
policy, value = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 2)), nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))
target = copy.deepcopy(value)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=3e-3)
for step in range(60):
    state = torch.randn(32, 4)
    choice = torch.distributions.Categorical(logits=policy(state))
    action = choice.sample()
    gain = (action == (state[:, 0] > 0)).float() + 0.5 * target(torch.randn(32, 4)).detach().squeeze(1)
    worth = value(state).squeeze(1)
    advantage = (gain - worth).detach()
    loss = -(choice.log_prob(action) * advantage).mean() + (worth - gain).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
encoder, predictor = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 8)), nn.Linear(8, 8)
optimizer = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05)
for step in range(60):
    x = torch.randn(32, 6)
    one, two = encoder(x + 0.1 * torch.randn_like(x)), encoder(x + 0.1 * torch.randn_like(x))
    loss = 2 - nn.functional.cosine_similarity(predictor(one), two.detach()).mean()
    loss = loss - nn.functional.cosine_similarity(predictor(two), one.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
