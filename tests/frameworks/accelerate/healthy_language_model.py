"""A GRU over letters with a main loop of one's own and tracked losses."""
# needs: accelerate
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
PHRASES = ["blue whales dive deep. ", "owls hunt by night. ", "ice melts in spring. ", "corn grows in rows. "]
text = "".join(PHRASES[i] for i in torch.randint(0, 4, (500,)).tolist())
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text])


class Windows(Dataset):
    def __init__(self, ids, size=30):
        self.ids, self.size = ids, size

    def __len__(self):
        return (len(self.ids) - 1) // self.size

    def __getitem__(self, i):
        piece = self.ids[i * self.size : (i + 1) * self.size + 1]
        return {"x": piece[:-1], "y": piece[1:]}


class Letters(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(letters), 24)
        self.rnn = nn.GRU(24, 64, batch_first=True)
        self.head = nn.Linear(64, len(letters))

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])


accelerator = Accelerator(cpu=True)
cut = int(0.85 * len(ids))
model, optimizer, train, val = accelerator.prepare(
    model := Letters(),
    torch.optim.Adam(model.parameters(), lr=3e-3),
    DataLoader(Windows(ids[:cut]), batch_size=16, shuffle=True, drop_last=True),
    DataLoader(Windows(ids[cut:]), batch_size=16),
)
for epoch in range(6):
    model.train()
    for batch in train:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(batch["x"]).transpose(1, 2), batch["y"])
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        losses = [F.cross_entropy(model(batch["x"]).transpose(1, 2), batch["y"]) for batch in val]
    accelerator.print(f"epoch {epoch} train {loss.item():.3f} val {torch.stack(losses).mean().item():.3f}")
accelerator.wait_for_everyone()
accelerator.save(accelerator.unwrap_model(model).state_dict(), "letters.pt")
