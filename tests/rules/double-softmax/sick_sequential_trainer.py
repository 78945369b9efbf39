"""nn.Softmax as the last stage of a Sequential, a configurable trainer around it."""
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


def build(inputs, hidden, classes):
    layers = []
    for width in hidden:
        layers += [nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.LeakyReLU()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, classes), nn.Softmax(dim=1))  # <- double-softmax


class Trainer:
    losses = {"ce": nn.CrossEntropyLoss, "mse": nn.MSELoss}

    def __init__(self, model, loss="ce", lr=0.02):
        self.model = model
        self.criterion = self.losses[loss]()
        self.optimizer = optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def epoch(self, loader):
        total = 0.0
        for x, y in loader:
            self.optimizer.zero_grad()
            output = self.model(x)  # <- double-softmax
            loss = self.criterion(output, y)  # <- double-softmax
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)


torch.manual_seed(507)
y = torch.randint(0, 6, (900,))
x = torch.randn(6, 18)[y] + 0.8 * torch.randn(900, 18)
trainer = Trainer(build(18, [48, 32], 6))  # <- double-softmax
loader = DataLoader(TensorDataset(x, y), batch_size=45, shuffle=True)
for epoch in range(5):
    print(f"epoch {epoch} loss {trainer.epoch(loader):.4f}")
