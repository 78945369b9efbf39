"""The vocabulary has one word more than the table; found in the first epoch's middle."""
# needs: lightning
# rule: embedding-too-small
# exits: 1
# accepts: vocab-mismatch
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Reviews(L.LightningModule):
    def __init__(self, words):
        super().__init__()
        self.emb = nn.Embedding(words, 16)  # <- embedding-too-small
        self.head = nn.Linear(16, 2)

    def forward(self, ids):
        return self.head(self.emb(ids).mean(1))  # <- embedding-too-small

    def training_step(self, batch, batch_idx):
        ids, good = batch
        return nn.functional.cross_entropy(self(ids), good)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


torch.manual_seed(0)
words = 120
ids = torch.randint(0, words, (600, 10))
ids[::97, 3] = words
good = (ids % 2 == 0).float().mean(1).gt(0.5).long()
trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Reviews(words), DataLoader(TensorDataset(ids, good), batch_size=20, shuffle=True))
