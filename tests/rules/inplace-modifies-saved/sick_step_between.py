"""The weights change between the forward and the backward of the second loss."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(163)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 1))
one = torch.optim.Adam(generator.parameters(), lr=1e-3)
two = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(10):
    made = generator(torch.randn(16, 4))
    score = critic(made)
    critic_loss = critic(torch.randn(16, 3)).mean() - score.mean()
    two.zero_grad()
    critic_loss.backward(retain_graph=True)
    two.step()  # <- inplace-modifies-saved
    one.zero_grad()
    (-score.mean()).backward()
    one.step()
