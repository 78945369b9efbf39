"""Double DQN: the online network, which is being trained, also chooses the best next action without gradients."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(433)
online = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 3))
target = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 3))
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=2e-3)
for step in range(150):
    state, after = torch.randn(64, 5), torch.randn(64, 5)
    action = torch.randint(0, 3, (64, 1))
    reward = state.gather(1, action)
    with torch.no_grad():
        best = online(after).argmax(1, keepdim=True)
        expected = reward + 0.5 * target(after).gather(1, best)
    loss = F.smooth_l1_loss(online(state).gather(1, action), expected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        target.load_state_dict(online.state_dict())
        print(f"step {step} loss {loss.item():.4f}")
