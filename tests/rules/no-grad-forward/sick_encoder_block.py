"""Part of the forward stands under no_grad, left there from an earlier experiment with a frozen encoder."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(401)


class Recommender(nn.Module):
    def __init__(self, users, items, dim):
        super().__init__()
        self.user, self.item = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.tower = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, dim))
        self.out = nn.Linear(2 * dim, 1)

    def forward(self, user, item):
        with torch.no_grad():  # <- no-grad-forward
            u = self.tower(self.user(user))  # <- no-grad-forward
        return self.out(torch.cat([u, self.item(item)], 1)).squeeze(1)


user, item = torch.randint(0, 60, (1200,)), torch.randint(0, 40, (1200,))
taste, nature = torch.randn(60, 3), torch.randn(40, 3)
rating = (taste[user] * nature[item]).sum(1)
loader = DataLoader(TensorDataset(user, item, rating), batch_size=60, shuffle=True)
model = Recommender(60, 40, 12)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.MSELoss()
for epoch in range(5):
    total = 0.0
    for u, i, r in loader:
        optimizer.zero_grad()
        loss = criterion(model(u, i), r)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
