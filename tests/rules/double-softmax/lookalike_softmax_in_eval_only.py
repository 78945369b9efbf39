"""The model returns probabilities in evaluation only; a mixture of softmaxes is trained through its logarithm."""
import torch
import torch.nn as nn


class MixtureOfSoftmaxes(nn.Module):
    def __init__(self, inputs, classes, parts=2):
        super().__init__()
        self.prior = nn.Linear(inputs, parts)
        self.parts = nn.ModuleList(nn.Linear(inputs, classes) for _ in range(parts))

    def forward(self, x):
        prior = self.prior(x).softmax(1)
        mixed = sum(prior[:, i : i + 1] * part(x).softmax(1) for i, part in enumerate(self.parts))
        return mixed if not self.training else (mixed + 1e-8).log()


torch.manual_seed(557)
y = torch.randint(0, 4, (800,))
x = torch.randn(8, 10)[y + 4 * torch.randint(0, 2, (800,))] * 1.5 + 0.5 * torch.randn(800, 10)
model = MixtureOfSoftmaxes(10, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(5):
    model.train()
    for rows in torch.randperm(800).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} accuracy {accuracy:.3f}")
