"""A universal perturbation is optimized against a trained model; the model's own gradients are of no interest."""
import torch
import torch.nn as nn

torch.manual_seed(167)
centers = torch.randn(3, 20)
y = torch.randint(0, 3, (300,))
x = centers[y] + 0.3 * torch.randn(300, 20)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 3))

trainer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(60):
    trainer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    trainer.step()
model.eval()

delta = torch.zeros(20, requires_grad=True)
attacker = torch.optim.SGD([delta], lr=0.5)
for step in range(40):
    attacker.zero_grad()
    loss = -nn.functional.cross_entropy(model(x + delta), y)
    loss.backward()
    attacker.step()
    with torch.no_grad():
        delta.clamp_(-0.5, 0.5)
print("accuracy under attack", (model(x + delta).argmax(1) == y).float().mean().item())
