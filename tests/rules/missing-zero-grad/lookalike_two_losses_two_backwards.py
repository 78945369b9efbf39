"""Two tasks share an encoder; each loss has its own backward, then one step, then one clearing."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(19)
encoder = nn.Sequential(nn.Linear(14, 48), nn.ReLU())
classify, regress = nn.Linear(48, 3), nn.Linear(48, 1)
modules = nn.ModuleList([encoder, classify, regress])
optimizer = torch.optim.Adam(modules.parameters(), lr=4e-3)
x = torch.randn(1000, 14)
kind = x[:, :3].argmax(1)
amount = (x[:, 3] - 0.5 * x[:, 4]).unsqueeze(1)

for epoch in range(6):
    sums = [0.0, 0.0]
    for idx in torch.randperm(1000).split(50):
        z = encoder(x[idx])
        loss_kind = F.cross_entropy(classify(z), kind[idx])
        loss_kind.backward(retain_graph=True)
        loss_amount = F.mse_loss(regress(z), amount[idx])
        (0.5 * loss_amount).backward()
        optimizer.step()
        modules.zero_grad()
        sums[0] += loss_kind.item()
        sums[1] += loss_amount.item()
    print(f"epoch {epoch} kind {sums[0] / 20:.4f} amount {sums[1] / 20:.4f}")
