"""A causal model of letters with a warm-up, validated every quarter of an epoch, that writes some text at the end."""
# needs: lightning
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

PHRASES = ["the cat sat on the mat. ", "a dog ran over the hill. ", "the sun sets in the west. ", "we read old books at night. "]


class Text(Dataset):
    def __init__(self, ids, length):
        self.ids, self.length = ids, length

    def __len__(self):
        return (len(self.ids) - 1) // self.length

    def __getitem__(self, i):
        start = i * self.length
        return self.ids[start : start + self.length], self.ids[start + 1 : start + self.length + 1]


class Decoder(L.LightningModule):
    def __init__(self, letters, width=32, length=32):
        super().__init__()
        self.tokens = nn.Embedding(letters, width)
        self.positions = nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.1, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)

    def forward(self, ids):
        n = ids.shape[1]
        h = self.tokens(ids) + self.positions(torch.arange(n, device=ids.device))
        mask = nn.Transformer.generate_square_subsequent_mask(n, device=ids.device)
        return self.head(self.norm(self.blocks(h, mask=mask, is_causal=True)))

    def loss(self, batch):
        ids, following = batch
        return F.cross_entropy(self(ids).flatten(0, 1), following.flatten())

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=4e-3, weight_decay=0.01)
        warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 20))
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": warm_up, "interval": "step"}}


L.seed_everything(11)
order = torch.randint(0, len(PHRASES), (500,)).tolist()
text = "".join(PHRASES[i] for i in order)
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text])
cut = int(0.9 * len(ids))
model = Decoder(len(letters))
trainer = L.Trainer(
    max_epochs=4, accelerator="cpu", val_check_interval=0.25, gradient_clip_val=1.0, logger=False, enable_checkpointing=False
)
trainer.fit(model, DataLoader(Text(ids[:cut], 32), batch_size=16, shuffle=True), DataLoader(Text(ids[cut:], 32), batch_size=16))
model.eval()
with torch.no_grad():
    seen = ids[:10][None]
    for _ in range(20):
        seen = torch.cat([seen, model(seen[:, -32:])[:, -1].argmax(-1, keepdim=True)], 1)
print("".join(letters[i] for i in seen[0].tolist()))
