"""The optimizer has the head only; the encoder gets gradients."""
# needs: accelerate
# rule: optimizer-missing-params
# allows: loss-plateau
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 3)

    def forward(self, x):
        return self.head(self.encoder(x))


def main():
    torch.manual_seed(3)
    accelerator = Accelerator(cpu=True)
    centres = torch.randn(3, 20)
    kind = torch.randint(0, 3, (900,))
    data = TensorDataset(centres[kind] + torch.randn(900, 20), kind)
    model = Net()
    optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-3)  # <- optimizer-missing-params
    model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(data, batch_size=30, shuffle=True))
    for epoch in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
        accelerator.print(loss.item())


main()
