"""Two terms, both tensors; numbers only for printing."""
import torch
import torch.nn as nn

torch.manual_seed(153)
encoder, classify, rebuild = nn.Linear(9, 32), nn.Linear(32, 3), nn.Linear(32, 9)
optimizer = torch.optim.Adam([*encoder.parameters(), *classify.parameters(), *rebuild.parameters()], lr=3e-3)
for step in range(80):
    x = torch.randn(40, 9)
    h = torch.relu(encoder(x))
    first = nn.functional.cross_entropy(classify(h), x[:, :3].argmax(1))
    second = nn.functional.mse_loss(rebuild(h), x)
    loss = first + 0.1 * second
    shown = first.item() + second.item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(shown)
