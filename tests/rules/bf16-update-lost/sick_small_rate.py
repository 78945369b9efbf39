"""A model in pure bfloat16, fine-tuned at a rate that float32 could use."""
# allows: lr-too-low, loss-plateau
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2)).to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)  # <- bf16-update-lost
for epoch in range(4):
    for start in range(0, 640, 32):
        scores = model(x[start : start + 32].to(torch.bfloat16))
        loss = nn.functional.cross_entropy(scores.float(), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
