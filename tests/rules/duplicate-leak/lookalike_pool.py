"""Active learning: the model looks at the pool, the rows it is least sure of move to the training set."""

import torch
import torch.nn as nn

torch.manual_seed(81)
x = torch.randn(900, 8)
y = (x[:, 0] * x[:, 1] > 0).long()
test = torch.arange(700, 900)
known, pool = list(range(60)), list(range(60, 700))
net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for turn in range(10):
    for _ in range(15):
        at = torch.tensor(known)[torch.randint(0, len(known), (40,))]
        loss = nn.functional.cross_entropy(net(x[at]), y[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        sure = net(x[torch.tensor(pool)]).softmax(1).amax(1)
        accuracy = (net(x[test]).argmax(1) == y[test]).float().mean()
    asked = sure.argsort()[:40].tolist()
    known += [pool[i] for i in asked]
    pool = [row for i, row in enumerate(pool) if i not in set(asked)]
    print(turn, len(known), loss.item(), accuracy.item())
