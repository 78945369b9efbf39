"""A convolutional net in bfloat16 with BatchNorm, workers, accumulation that sets in later, averaged weights, and a test at the end."""
# needs: lightning
import lightning as L
import torch
from lightning.pytorch.callbacks import GradientAccumulationScheduler, StochasticWeightAveraging
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tiles(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4),
        )  # fmt: skip

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self(x), y))

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_acc", (self(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=3e-3)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 4)}


L.seed_everything(1)
kind = torch.randint(0, 4, (800,))
tiles = 0.5 * torch.randn(800, 1, 12, 12)
for row, k in enumerate(kind.tolist()):
    tiles[row, 0, (k // 2) * 6 : (k // 2) * 6 + 6, :: 1 + k % 2] += 1
train = DataLoader(TensorDataset(tiles[:640], kind[:640]), batch_size=32, shuffle=True, num_workers=1, persistent_workers=True)
val = DataLoader(TensorDataset(tiles[640:], kind[640:]), batch_size=80)
callbacks = [StochasticWeightAveraging(1e-3, swa_epoch_start=0.7), GradientAccumulationScheduler({0: 1, 4: 2})]
trainer = L.Trainer(max_epochs=8, accelerator="cpu", precision="bf16-mixed", callbacks=callbacks, logger=False)
model = Tiles()
trainer.fit(model, train, val)
trainer.test(model, val)
