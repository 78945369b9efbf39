"""Per-sequence losses are gathered with .item() into a new tensor."""
# allows: python-loop-over-elements
import torch
import torch.nn as nn

torch.manual_seed(311)


def batch_loss(model, batch, target):
    losses = []
    for sequence, value in zip(batch, target):
        output, _ = model["rnn"](sequence.unsqueeze(0))
        losses.append((model["out"](output[:, -1]).squeeze() - value).pow(2).item())  # <- graph-broken
    return torch.tensor(losses, requires_grad=True).mean()  # <- graph-broken


model = nn.ModuleDict({"rnn": nn.RNN(4, 16, batch_first=True), "out": nn.Linear(16, 1)})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(240, 6, 4)
target = data[:, -1, 0]
for epoch in range(4):
    epoch_losses = []
    for i in range(0, 240, 8):
        optimizer.zero_grad()
        loss = batch_loss(model, data[i : i + 8], target[i : i + 8])  # <- graph-broken
        loss.backward()  # <- graph-broken
        optimizer.step()
        epoch_losses.append(loss.item())
    print(f"epoch {epoch} loss {sum(epoch_losses) / len(epoch_losses):.4f}")
