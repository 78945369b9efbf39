"""The recurrent state is carried from chunk to chunk and detached each time."""
import torch
import torch.nn as nn


class Carrier(nn.Module):
    def __init__(self, symbols=12, width=32):
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, symbols)

    def forward(self, ids, state):
        h, state = self.rnn(self.embed(ids), state)
        return self.out(h), state.detach()


def train():
    torch.manual_seed(353)
    stream = (torch.randint(0, 12, (8, 1)) + 5 * torch.arange(601)) % 12
    model = Carrier()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        state, total = None, 0.0
        for c in range(0, 600, 20):
            logits, state = model(stream[:, c : c + 20], state)
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), stream[:, c + 1 : c + 21])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / 30:.4f}")


train()
