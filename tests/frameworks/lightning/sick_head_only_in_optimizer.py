"""configure_optimizers hands over the parameters of the head; the encoder, which is new, gets gradients and stays."""
# needs: lightning
# rule: optimizer-missing-params
# allows: loss-plateau
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Signals(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv1d(1, 12, 5, padding=2), nn.ReLU(), nn.Conv1d(12, 12, 5, padding=2), nn.ReLU())
        self.head = nn.Linear(12, 4)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.head(self.encoder(x).mean(2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.head.parameters(), lr=2e-3)  # <- optimizer-missing-params
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)}


L.seed_everything(6)
kind = torch.randint(0, 4, (800,))
time = torch.linspace(0, 6.283, 32)
signals = torch.sin((1 + kind)[:, None] * time + 6.283 * torch.rand(800, 1)) + 0.2 * torch.randn(800, 32)
loader = DataLoader(TensorDataset(signals.unsqueeze(1), kind), batch_size=40, shuffle=True)
L.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False).fit(Signals(), loader)
