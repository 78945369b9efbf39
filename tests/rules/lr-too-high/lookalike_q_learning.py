"""Q-learning: the temporal-difference error grows while the values are still being found."""
import copy
import random

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)
values = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
target = copy.deepcopy(values)
optimizer = torch.optim.Adam(values.parameters(), lr=1e-3)
memory, state = [], torch.randn(4)
for turn in range(300):
    with torch.no_grad():
        action = int(values(state).argmax()) if random.random() > 0.2 else random.randrange(2)
    reward, following = float((state[0] > 0) == bool(action)), torch.randn(4)
    memory.append((state, action, reward, following))
    state = following
    if len(memory) > 64:
        states, actions, rewards, after = zip(*random.sample(memory, 32))
        with torch.no_grad():
            wanted = torch.tensor(rewards) + 0.95 * target(torch.stack(after)).amax(1)
        seen = values(torch.stack(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(seen, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if turn % 20 == 0:
        target.load_state_dict(values.state_dict())
print(f"loss {loss.item():.4f}")
