import torch, torch.nn as nn

torch.manual_seed(0)
enc = nn.Linear(8, 16)
head = nn.Linear(16, 3)
oe = torch.optim.Adam(enc.parameters(), 1e-3)
oh = torch.optim.Adam(head.parameters(), 1e-2)
X = torch.randn(256, 8)
y = X[:, :3].argmax(1)
for t in range(300):
    ix = torch.randint(0, 256, (32,))
    train_enc = t % 10 == 9
    with torch.set_grad_enabled(train_enc):
        h = torch.relu(enc(X[ix]))
    l = nn.functional.cross_entropy(head(h), y[ix])
    oh.zero_grad()
    oe.zero_grad()
    l.backward()
    oh.step()
    if train_enc:
        oe.step()
print(l.item())
