import torch, torch.nn as nn

torch.manual_seed(9)


class Pointer(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.enc = nn.Linear(1, d)
        self.att = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 96, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False)
        self.score = nn.Linear(d, 1)

    def forward(self, values):
        return self.score(self.att(self.enc(values[..., None]))).squeeze(-1)


net = Pointer()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 30))
for step in range(260):
    values = torch.rand(64, 7)
    loss = nn.functional.cross_entropy(net(values), values.argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    if step % 40 == 0:
        print(step, loss.item())
