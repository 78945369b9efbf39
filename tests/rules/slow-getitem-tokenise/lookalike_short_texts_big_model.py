"""Short names are split into characters per item, which is nothing beside the recurrent network."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Names:
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        name, kind = self.names[i]
        return torch.tensor([ord(c) - 96 for c in name]), kind


def collate(batch):
    ids, kinds = zip(*batch)
    return pad_sequence(ids, batch_first=True), torch.tensor(kinds)


torch.manual_seed(1217)
generator = torch.Generator().manual_seed(1217)
stems = torch.randint(0, 26, (240, 5), generator=generator).tolist()
names = [("".join(chr(97 + c) for c in stem) + ("ov" if i % 2 else "ini"), i % 2) for i, stem in enumerate(stems)]
loader = DataLoader(Names(names), batch_size=24, shuffle=True, collate_fn=collate)
embed, rnn, out = nn.Embedding(27, 64, padding_idx=0), nn.LSTM(64, 192, 2, batch_first=True), nn.Linear(192, 2)
params = [*embed.parameters(), *rnn.parameters(), *out.parameters()]
optimizer = torch.optim.Adam(params, lr=2e-3)
for epoch in range(5):
    for ids, kind in loader:
        loss = nn.functional.cross_entropy(out(rnn(embed(ids))[0][:, -1]), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
