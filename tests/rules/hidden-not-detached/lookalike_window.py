"""Back-propagation over a window of three chunks, with one backward a chunk: the graph reaches back, and not further and further."""
from collections import deque

import torch
import torch.nn as nn

torch.manual_seed(207)
cell, read = nn.GRUCell(3, 16), nn.Linear(16, 3)
optimizer = torch.optim.SGD([*cell.parameters(), *read.parameters()], lr=0.02)
chunks = torch.randn(60, 8, 3)
window = deque(maxlen=3)
state = torch.zeros(8, 16)
for number in range(59):
    window.append((state.detach(), chunks[number], chunks[number + 1]))
    h = window[0][0]
    loss = 0
    for _, x, y in window:
        h = cell(x, h)
        loss = loss + nn.functional.mse_loss(read(h), y) / len(window)
    state = cell(chunks[number], state.detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
