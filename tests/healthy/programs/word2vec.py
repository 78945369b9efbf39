import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(7)
V, D = 120, 16
topic = torch.randint(0, 6, (V,))
centre = torch.randint(0, V, (12000,))
pool = [torch.nonzero(topic == t).squeeze(1) for t in range(6)]
context = torch.tensor([pool[topic[c]][torch.randint(len(pool[topic[c]]), ())].item() for c in centre])
inp, out = nn.Embedding(V, D, sparse=True), nn.Embedding(V, D, sparse=True)
nn.init.zeros_(out.weight)
opt = torch.optim.SparseAdam([*inp.parameters(), *out.parameters()], lr=5e-3)
for epoch in range(3):
    total = 0.0
    for at in torch.randperm(12000).split(128):
        negative = torch.randint(0, V, (len(at), 5))
        h = inp(centre[at])
        loss = -F.logsigmoid((h * out(context[at])).sum(1)).mean() - F.logsigmoid(-(out(negative) @ h[:, :, None]).squeeze(2)).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print(epoch, total / 94)
