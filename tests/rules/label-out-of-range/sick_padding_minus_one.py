"""Tag sequences padded with -1; NLLLoss in a trainer keeps its default ignore_index of -100."""
# exits: 1
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Tagger(nn.Module):
    def __init__(self, inputs, tags):
        super().__init__()
        self.rnn = nn.GRU(inputs, 16, batch_first=True)
        self.fc = nn.Linear(16, tags)

    def forward(self, x):
        return self.fc(self.rnn(x)[0]).log_softmax(-1)


def collate(batch):
    xs, ys = zip(*batch)
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True, padding_value=-1)  # <- label-out-of-range


class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.NLLLoss()  # <- label-out-of-range
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def fit(self, loader, epochs=3):
        for epoch in range(epochs):
            for x, y in loader:
                log_probs = self.model(x)
                loss = self.criterion(log_probs.flatten(0, 1), y.flatten())  # <- label-out-of-range
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"epoch {epoch} loss {loss.item():.4f}")


torch.manual_seed(809)
lengths = torch.randint(4, 9, (120,)).tolist()
data = []
for n in lengths:
    x = torch.randn(n, 3)
    data.append((x, x.argmax(1)))
Trainer(Tagger(3, 3)).fit(DataLoader(data, batch_size=12, shuffle=True, collate_fn=collate))
