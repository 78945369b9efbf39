"""Old style: Variable(output.data, requires_grad=True) before a functional loss, in a policy network."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(317)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 32)
        self.affine2 = nn.Linear(32, 3)

    def forward(self, state):
        return F.log_softmax(self.affine2(torch.tanh(self.affine1(state))), dim=1)


policy = Policy()
optimizer = torch.optim.RMSprop(policy.parameters(), lr=5e-3)
for episode in range(100):
    states = torch.randn(32, 4)
    wanted = states[:, :3].argmax(1)
    log_probs = policy(states)
    log_probs = Variable(log_probs.data, requires_grad=True)  # <- graph-broken
    loss = F.nll_loss(log_probs, wanted)
    policy.zero_grad()
    loss.backward()  # <- graph-broken
    optimizer.step()
    if episode % 20 == 0:
        print(f"episode {episode} loss {loss.item():.4f}")
