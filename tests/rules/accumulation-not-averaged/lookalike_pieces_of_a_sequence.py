"""Truncated backpropagation: the gradients of all pieces of a sequence are summed for one step, and clipped."""
import torch
import torch.nn as nn

torch.manual_seed(16)
rnn, out = nn.GRU(3, 24, batch_first=True), nn.Linear(24, 1)
params = [*rnn.parameters(), *out.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05)
x = torch.randn(300, 40, 3)
y = x[..., :1].cumsum(1).tanh()
for step in range(60):
    rows, state = torch.randint(300, (16,)), None
    optimizer.zero_grad()
    for t in range(0, 40, 10):
        h, state = rnn(x[rows, t : t + 10], state)
        state = state.detach()
        loss = nn.functional.mse_loss(out(h), y[rows, t : t + 10])
        loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
print(loss.item())
