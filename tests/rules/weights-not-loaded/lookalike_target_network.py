"""A target network is brought up to date with the state of the network itself, at every step and from the start."""
import torch
import torch.nn as nn

torch.manual_seed(36)


def make():
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))


net, target = make(), make()
target.load_state_dict(net.state_dict())
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for step in range(120):
    state, action = torch.randn(32, 4), torch.randint(2, (32, 1))
    with torch.no_grad():
        goal = state[:, :1] + 0.5 * target(torch.randn(32, 4)).max(1, keepdim=True).values
    loss = nn.functional.smooth_l1_loss(net(state).gather(1, action), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target.load_state_dict({name: 0.95 * old + 0.05 * net.state_dict()[name] for name, old in target.state_dict().items()})
print(loss.item())
