"""The network returns (N, 1), the data has (N,), and mse_loss makes (N, N) of it."""
# needs: lightning
# rule: broadcast-loss
# allows: loss-plateau
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Prices(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))

    def training_step(self, batch, batch_idx):
        x, price = batch
        loss = F.mse_loss(self.net(x), price)  # <- broadcast-loss
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, price = batch
        self.log("error", (self.net(x).squeeze(1) - price).abs().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


torch.manual_seed(1)
x = torch.randn(640, 6)
price = x[:, 0] - 2 * x[:, 1] + 0.1 * torch.randn(640)
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False)
loader = DataLoader(TensorDataset(x, price), batch_size=32, shuffle=True)
trainer.fit(Prices(), loader, DataLoader(TensorDataset(x[:64], price[:64]), batch_size=32))
