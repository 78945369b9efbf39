"""Decays by epochs, to a thousandth and less, after the loss has come down."""
import torch
import torch.nn as nn

torch.manual_seed(115)
x = torch.randn(900, 10)
y = x[:, :4].argmax(1)
for make in (lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [3, 4, 5]), lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.4)):
    model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = make(optimizer)
    for epoch in range(14):
        for rows in torch.randperm(900).split(30):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    print(loss.item())
