"""The model is called once per sample; the results are stacked again."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def forward_batch(model, batch):
    outputs = []
    for sample in batch:  # <- python-loop-over-elements
        outputs.append(model(sample.unsqueeze(0)).squeeze(0))  # <- python-loop-over-elements
    return torch.stack(outputs)


def train(model, x, y, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(x)).split(128):
            loss = F.cross_entropy(forward_batch(model, x[rows]), y[rows])  # <- python-loop-over-elements
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / (len(x) // 128):.4f}")


if __name__ == "__main__":
    torch.manual_seed(903)
    y = torch.randint(0, 4, (1280,))
    x = torch.randn(4, 16)[y] + 0.5 * torch.randn(1280, 16)
    train(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)), x, y, 3)
