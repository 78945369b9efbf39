"""Discrete latent by hard Gumbel softmax; the loss of the prior is logged as a plain number."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(373)
encode, decode = nn.Linear(8, 6), nn.Linear(6, 8)
optimizer = torch.optim.Adam([*encode.parameters(), *decode.parameters()], lr=0.01)
prototypes = torch.randn(6, 8)
for step in range(150):
    x = prototypes[torch.randint(0, 6, (64,))] + 0.1 * torch.randn(64, 8)
    logits = encode(x)
    code = F.gumbel_softmax(logits, tau=max(0.5, 1 - step / 150), hard=True)
    usage = code.mean(0)
    balance = (usage * (usage + 1e-9).log()).sum()
    loss = F.mse_loss(decode(code), x) + 0.05 * balance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f} used {int((usage.detach() > 0.01).sum())} balance {balance.item():.3f}")
