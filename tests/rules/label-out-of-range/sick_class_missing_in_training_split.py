"""The number of classes is taken from the first rows only; a rarer class turns up some steps later."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(811)
defect = torch.randint(0, 3, (900,))
defect[600:][torch.rand(300) < 0.1] = 3
signals = torch.randn(4, 16)[defect] + 0.4 * torch.randn(900, 16)
n_classes = int(defect[:500].max()) + 1  # <- label-out-of-range
model = nn.Sequential(nn.Unflatten(1, (1, 16)), nn.Conv1d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(84, n_classes))  # <- label-out-of-range
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for start in range(0, 900, 30):
    loss = nn.CrossEntropyLoss()(model(signals[start : start + 30]), defect[start : start + 30])  # <- label-out-of-range
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if start % 150 == 0:
        print(f"row {start} loss {loss.item():.4f}")
