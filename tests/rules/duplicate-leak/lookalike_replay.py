"""A small Q-network: states are acted on without gradients, kept, and trained on later, many times."""

import random

import torch
import torch.nn as nn

random.seed(78)
torch.manual_seed(78)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
mix = torch.randn(2, 4) * 0.3
memory, state = [], torch.randn(4)
for step in range(400):
    with torch.no_grad():
        action = random.randrange(2) if random.random() < 0.2 else int(q(state[None]).argmax())
    following = (0.9 * state + mix[action] + 0.1 * torch.randn(4)).clamp(-3, 3)
    memory.append((state, action, float(-following.norm()), following))
    state = following
    if len(memory) >= 64:
        states, actions, rewards, nexts = zip(*random.sample(memory, 64))
        with torch.no_grad():
            target = torch.tensor(rewards) + 0.9 * q(torch.stack(nexts)).amax(1)
        chosen = q(torch.stack(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(chosen, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if step % 100 == 99:
        print(step, loss.item())
