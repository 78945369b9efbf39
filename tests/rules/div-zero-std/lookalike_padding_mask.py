"""Scores of -inf where there is padding, at least one position left in each row."""
import torch
import torch.nn as nn

torch.manual_seed(0)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0), 1)
head = nn.Linear(16, 2)
x = torch.randn(320, 7, 16)
lengths = torch.randint(2, 8, (320,))
y = (x[:, 0, 0] > 0).long()
pad = torch.arange(7)[None] >= lengths[:, None]
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=3e-3)
for epoch in range(6):
    for start in range(0, 320, 32):
        h = encoder(x[start : start + 32], src_key_padding_mask=pad[start : start + 32])
        loss = nn.functional.cross_entropy(head(h[:, 0]), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
