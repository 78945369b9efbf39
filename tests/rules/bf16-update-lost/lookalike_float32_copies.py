"""bfloat16 weights that are written anew from float32 copies, which the optimizer moves."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2)).to(torch.bfloat16)
copies = [nn.Parameter(p.detach().float()) for p in model.parameters()]
optimizer = torch.optim.AdamW(copies, lr=1e-3)
for epoch in range(4):
    for start in range(0, 640, 32):
        loss = nn.functional.cross_entropy(model(x[start : start + 32].bfloat16()).float(), y[start : start + 32])
        model.zero_grad()
        loss.backward()
        for copy, p in zip(copies, model.parameters(), strict=True):
            copy.grad = p.grad.float()
        optimizer.step()
        with torch.no_grad():
            for copy, p in zip(copies, model.parameters(), strict=True):
                p.copy_(copy)
    print(epoch, loss.item())
