"""The feature function runs the backbone under no_grad, though the backbone is in the optimizer and meant to learn."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def extract(backbone, series):
    with torch.no_grad():  # <- no-grad-forward
        states, _ = backbone(series)  # <- no-grad-forward
    return states[:, -1]


def train(backbone, classifier, series, labels, epochs=4):
    optimizer = torch.optim.Adam([*backbone.parameters(), *classifier.parameters()], lr=5e-3)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(series)).split(32):
            features = extract(backbone, series[rows])  # <- no-grad-forward
            loss = F.cross_entropy(classifier(features), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / (len(series) // 32):.4f}")


if __name__ == "__main__":
    torch.manual_seed(407)
    series = torch.randn(640, 14, 2)
    labels = (series[:, :7, 0].sum(1) > series[:, 7:, 0].sum(1)).long() + (series[:, :, 1].sum(1) > 0).long() * 2
    train(nn.GRU(2, 24, batch_first=True), nn.Linear(24, 4), series, labels)
