"""A schedule that was meant for epochs is stepped after every batch."""
# needs: lightning
# rule: scheduler-kills-lr
# allows: loss-plateau, lr-too-low
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Wines(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(11, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.3)  # <- scheduler-kills-lr
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


L.seed_everything(9)
x = torch.randn(1200, 11)
y = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.8).long()
loader = DataLoader(TensorDataset(x, y), batch_size=60, shuffle=True)
L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False).fit(Wines(), loader)
