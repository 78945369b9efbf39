"""The token embedding is looked up under inference_mode, 'to be faster'; a clone makes it usable in training."""
import torch
import torch.nn as nn

torch.manual_seed(411)


class Classifier(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embed = nn.Embedding(vocab, 20)
        self.encoder = nn.TransformerEncoderLayer(20, 2, 40, dropout=0.0, batch_first=True)
        self.out = nn.Linear(20, 2)

    def forward(self, ids):
        with torch.inference_mode():  # <- no-grad-forward
            vectors = self.embed(ids)  # <- no-grad-forward
        return self.out(self.encoder(vectors.clone()).mean(1))


ids = torch.randint(0, 60, (480, 10))
label = ((ids < 30).sum(1) > 5).long()
model = Classifier(60)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(4):
    total = 0.0
    for rows in torch.randperm(480).split(24):
        optimizer.zero_grad()
        loss = loss_fn(model(ids[rows]), label[rows])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
