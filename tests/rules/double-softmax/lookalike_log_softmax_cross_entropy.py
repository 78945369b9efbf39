"""log_softmax before cross-entropy is superfluous and harmless: log_softmax of it is itself."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(527)
y = torch.randint(0, 5, (900,))
x = torch.randn(5, 15)[y] + 0.6 * torch.randn(900, 15)
model = nn.Sequential(nn.Linear(15, 40), nn.ReLU(), nn.Linear(40, 5), nn.LogSoftmax(dim=1))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=45, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
