"""The share to keep is given as the share to drop."""
# needs: lightning
# rule: dropout-p-inverted
# allows: loss-plateau, missing-eval-mode
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Stars(L.LightningModule):
    def __init__(self, keep=0.95):
        super().__init__()
        self.first = nn.Linear(14, 60)
        self.second = nn.Linear(60, 60)
        self.out = nn.Linear(60, 4)
        self.drop = nn.Dropout(keep)  # <- dropout-p-inverted

    def forward(self, x):
        h = self.drop(torch.relu(self.first(x)))
        return self.out(self.drop(torch.relu(self.second(h))))

    def training_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.cross_entropy(self(batch[0]), batch[1]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


L.seed_everything(12)
centres = torch.randn(4, 14)
y = torch.randint(0, 4, (1000,))
x = centres[y] + 0.8 * torch.randn(1000, 14)
train, val = TensorDataset(x[:800], y[:800]), TensorDataset(x[800:], y[800:])
trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Stars(), DataLoader(train, batch_size=40, shuffle=True), DataLoader(val, batch_size=100))
