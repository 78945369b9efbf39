"""The network ends in a softmax, and training_step gives what it returns to cross_entropy."""
# needs: lightning
# rule: double-softmax
# allows: loss-plateau
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Leaves(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(12, 40)
        self.out = nn.Linear(40, 5)

    def forward(self, x):
        return F.softmax(self.out(torch.relu(self.hidden(x))), dim=1)  # <- double-softmax

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)  # <- double-softmax
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("acc", (self(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


L.seed_everything(0)
centres = torch.randn(5, 12)
y = torch.randint(0, 5, (900,))
x = centres[y] + 0.7 * torch.randn(900, 12)
trainer = L.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False)
train, val = TensorDataset(x[:750], y[:750]), TensorDataset(x[750:], y[750:])
trainer.fit(Leaves(), DataLoader(train, batch_size=30, shuffle=True), DataLoader(val, batch_size=50))
