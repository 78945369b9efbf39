"""The output goes through numpy for a rescaling and comes back as a new leaf."""
# allows: loss-plateau
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def rescale(array, low=-1.0, high=1.0):
    return np.clip(array, low, high) * 10.0


def train_epoch(model, optimizer, inputs, targets, batch=32):
    losses = []
    for i in range(0, len(inputs), batch):
        optimizer.zero_grad()
        output = model(inputs[i : i + batch])
        scaled = rescale(output.detach().numpy())  # <- graph-broken
        prediction = torch.tensor(scaled, requires_grad=True)  # <- graph-broken
        loss = F.l1_loss(prediction, targets[i : i + batch])
        loss.backward()  # <- graph-broken
        optimizer.step()
        losses.append(loss.item())
    return np.mean(losses)


if __name__ == "__main__":
    torch.manual_seed(303)
    inputs = torch.randn(960, 1, 20)
    targets = 10 * inputs.mean((1, 2), keepdim=False).unsqueeze(1)
    model = nn.Sequential(nn.Conv1d(1, 8, 5), nn.ReLU(), nn.Flatten(), nn.Linear(128, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(4):
        print("epoch", epoch, "loss", round(float(train_epoch(model, optimizer, inputs, targets)), 4))
