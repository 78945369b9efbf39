"""Fine-tuning script that hands only the head to the optimizer although nothing is frozen."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(101)


class TextClassifier(nn.Module):
    def __init__(self, vocab=200, dim=24, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, 32, batch_first=True, bidirectional=True)
        self.classifier = nn.Linear(64, classes)

    def forward(self, ids):
        states, _ = self.rnn(self.embedding(ids))
        return self.classifier(states.mean(1))


label = torch.randint(0, 4, (640,))
ids = torch.randint(0, 80, (640, 10)) + 40 * label.unsqueeze(1)
loader = DataLoader(TensorDataset(ids, label), batch_size=32, shuffle=True)

model = TextClassifier()
optimizer = torch.optim.Adam(model.classifier.parameters(), lr=1e-3)  # <- optimizer-missing-params
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
