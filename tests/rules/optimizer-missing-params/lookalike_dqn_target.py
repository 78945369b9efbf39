"""DQN on a corridor: the target network requires grad but is only read, and copied now and then."""
import random
from collections import deque

import torch
import torch.nn as nn

LENGTH = 6


def q_network():
    return nn.Sequential(nn.Linear(LENGTH, 32), nn.ReLU(), nn.Linear(32, 2))


def encode(position):
    return torch.eye(LENGTH)[position]


class Agent:
    def __init__(self):
        self.policy_net, self.target_net = q_network(), q_network()
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.optimizer = torch.optim.AdamW(self.policy_net.parameters(), lr=3e-3, amsgrad=True)
        self.memory = deque(maxlen=2000)

    def act(self, position, epsilon):
        if random.random() < epsilon:
            return random.randrange(2)
        with torch.no_grad():
            return self.policy_net(encode(position)).argmax().item()

    def optimize(self):
        batch = random.sample(self.memory, 32)
        state, action, reward, after, done = (torch.tensor(column) for column in zip(*batch))
        q = self.policy_net(encode(state)).gather(1, action.unsqueeze(1))
        with torch.no_grad():
            best = self.target_net(encode(after)).max(1).values
        expected = reward + 0.9 * best * (~done)
        loss = nn.functional.smooth_l1_loss(q, expected.unsqueeze(1))
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.policy_net.parameters(), 100)
        self.optimizer.step()
        return loss.item()


torch.manual_seed(151)
random.seed(151)
agent = Agent()
position, episode, losses = 0, 0, []
for step in range(400):
    action = agent.act(position, max(0.1, 0.9 - step / 300))
    after = min(max(position + (1 if action else -1), 0), LENGTH - 1)
    done = after == LENGTH - 1
    agent.memory.append((position, action, float(done), after, done))
    position = 0 if done else after
    episode += done
    if len(agent.memory) >= 64 and step % 2 == 0:
        losses.append(agent.optimize())
    if step % 40 == 0:
        agent.target_net.load_state_dict(agent.policy_net.state_dict())
print(f"episodes {episode} loss first {losses[0]:.4f} last {losses[-1]:.4f}")
