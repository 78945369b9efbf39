"""Hidden sigmoids with biases of 8, trained by a function over a dataset in memory."""
# allows: loss-plateau, vanishing-gradients, init-scale, lr-too-low, class-imbalance, labels-misaligned

import torch
from torch import nn


def build():
    net = nn.Sequential(nn.Linear(6, 40), nn.Sigmoid(), nn.Linear(40, 40), nn.Sigmoid(), nn.Linear(40, 1))
    for layer in (net[0], net[2]):
        layer.weight.data.normal_(0.5, 0.3)  # <- saturated-activations
        layer.bias.data.fill_(9.0)  # <- saturated-activations
    return net


def train(net, x, y):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(12):
        for start in range(0, len(x), 50):
            loss = nn.functional.binary_cross_entropy_with_logits(net(x[start : start + 50]).squeeze(1), y[start : start + 50])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


torch.manual_seed(0)
inputs = torch.randn(400, 6)
train(build(), inputs, (inputs[:, 0] * inputs[:, 1] > 0).float())
