"""Lightning's own search for a learning rate goes up until the loss leaps; then the training begins anew at a good one."""
# needs: lightning
import lightning as L
import torch
from lightning.pytorch.tuner import Tuner
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Shells(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 5))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


L.seed_everything(1)
centres = torch.randn(5, 10)
kind = torch.randint(0, 5, (1000,))
x = centres[kind] + torch.randn(1000, 10)
train = DataLoader(TensorDataset(x[:800], kind[:800]), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(x[800:], kind[800:]), batch_size=100)
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
model = Shells()
Tuner(trainer).lr_find(model, train, val, num_training=100)
trainer.fit(model, train, val)
