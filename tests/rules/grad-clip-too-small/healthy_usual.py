"""Clipped at 1.0: now and then, and always at the start."""
import torch
import torch.nn as nn

torch.manual_seed(63)
x = torch.randn(300, 20, 3)
y = x[:, :, 0].sum(1, keepdim=True)
rnn, out = nn.LSTM(3, 24, batch_first=True), nn.Linear(24, 1)
params = [*rnn.parameters(), *out.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05, momentum=0.9)
for epoch in range(4):
    for rows in torch.randperm(300).split(15):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(out(rnn(x[rows])[0][:, -1]), y[rows])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
    print(epoch, loss.item())
