import torch, torch.nn as nn

torch.manual_seed(0)
enc = nn.Linear(8, 16)
head = nn.Linear(16, 3)
opt = torch.optim.Adam([*enc.parameters(), *head.parameters()], 1e-2)
X = torch.randn(256, 8)
y = X[:, :3].argmax(1)
for t in range(300):
    ix = torch.randint(0, 256, (32,))
    with torch.set_grad_enabled(t > 60):
        h = torch.relu(enc(X[ix]))
    l = nn.functional.cross_entropy(head(h), y[ix])
    opt.zero_grad()
    l.backward()
    opt.step()
print(l.item())
