"""Several backwards over one graph on purpose: a loss for each task, and a GAN whose generator learns through the discriminator."""
import torch
import torch.nn as nn

torch.manual_seed(206)
trunk, tasks = nn.Linear(6, 24), nn.ModuleList(nn.Linear(24, 1) for _ in range(8))
optimizer = torch.optim.Adam([*trunk.parameters(), *tasks.parameters()], lr=3e-3)
for step in range(20):
    x = torch.randn(32, 6)
    h = torch.relu(trunk(x))
    optimizer.zero_grad()
    for number, task in enumerate(tasks):
        loss = nn.functional.mse_loss(task(h).squeeze(1), x[:, number % 6]) / 8
        loss.backward(retain_graph=number < 7)
    optimizer.step()

makes = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3))
judges = nn.Sequential(nn.Linear(3, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
one, two = torch.optim.Adam(makes.parameters(), lr=1e-3), torch.optim.Adam(judges.parameters(), lr=1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
for step in range(40):
    real, fake = torch.randn(32, 3) * 0.5 + 1, makes(torch.randn(32, 4))
    two.zero_grad()
    bce(judges(real), torch.ones(32, 1)).backward()
    bce(judges(fake), torch.zeros(32, 1)).backward(retain_graph=True)
    two.step()
    one.zero_grad()
    bce(judges(fake), torch.ones(32, 1)).backward()
    one.step()
