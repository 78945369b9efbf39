"""A head per task in a dict literal; multi-task training in a function."""
import torch
import torch.nn as nn
import torch.nn.functional as F

TASKS = {"colour": 3, "shape": 4}


class MultiTask(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(inputs, 40), nn.ReLU())
        self.heads = {task: nn.Linear(40, n) for task, n in TASKS.items()}  # <- params-not-registered

    def forward(self, x):
        z = self.trunk(x)
        return {task: head(z) for task, head in self.heads.items()}  # <- params-not-registered


def train(model, x, labels, epochs=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # <- params-not-registered
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(x)).split(50):
            out = model(x[rows])
            loss = sum(F.cross_entropy(out[task], labels[task][rows]) for task in TASKS)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / (len(x) // 50):.4f}")


if __name__ == "__main__":
    torch.manual_seed(203)
    x = torch.randn(800, 14)
    train(MultiTask(14), x, {"colour": x[:, :3].argmax(1), "shape": x[:, 3:7].argmax(1)})
