"""EmbeddingBag over hashed categories; the hash has more buckets than the table."""
# exits: 1
import torch
import torch.nn as nn

BUCKETS = 1000


def bucket(text):
    value = 7
    for character in text:
        value = (value * 31 + ord(character)) % (BUCKETS + 24)
    return value


class Clicks(nn.Module):
    def __init__(self, buckets):
        super().__init__()
        self.bag = nn.EmbeddingBag(buckets, 8, mode="sum")  # <- embedding-too-small
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(8, 1))

    def forward(self, features):
        return self.head(self.bag(features)).squeeze(1)  # <- embedding-too-small


torch.manual_seed(719)
sites = [f"site-{i}" for i in range(400)]
features = torch.tensor([[bucket(s), bucket("ad" + s), bucket("hour%d" % (i % 24))] for i, s in enumerate(sites)])
clicked = (torch.arange(400) % 24 > 12).float()
model = Clicks(BUCKETS)  # <- embedding-too-small
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(4):
    for i in range(0, 400, 16):
        loss = criterion(model(features[i : i + 16]), clicked[i : i + 16])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
