"""Raw scores into the loss with logits, the sigmoid beside it for the metric."""
import torch
import torch.nn as nn

torch.manual_seed(603)
x = torch.randn(600, 8)
y = (x[:, 0] - x[:, 1] > 0).float().unsqueeze(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.2]))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(60):
    i = torch.randint(0, 600, (50,))
    scores = model(x[i])
    loss = criterion(scores, y[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    hits = ((torch.sigmoid(scores) > 0.5).float() == y[i]).float().mean()
    if step % 20 == 19:
        print(step, loss.item(), hits.item())
