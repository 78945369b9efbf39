"""gather, scatter_add, index_select and one_hot within their bounds."""
import torch
import torch.nn as nn

torch.manual_seed(2111)
net = nn.Linear(5, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(100):
    state = torch.randn(40, 5)
    action = torch.randint(0, 4, (40, 1))
    group = torch.arange(40) % 8
    q = net(state).gather(1, action)
    wanted = (state[:, :4] * nn.functional.one_hot(action.squeeze(1), 4)).sum(1, keepdim=True)
    error = (q - wanted).pow(2).squeeze(1)
    loss = torch.zeros(8).scatter_add(0, group, error).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step} loss {loss.item():.4f}")
