"""A classifier with a validation set, a schedule by steps, clipping, early stopping and checkpoints."""
# needs: lightning
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Blobs(L.LightningDataModule):
    def __init__(self, batch_size=40):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        generator = torch.Generator().manual_seed(3)
        centres = 1.5 * torch.randn(6, 16, generator=generator)
        kind = torch.randint(0, 6, (1000,), generator=generator)
        x = centres[kind] + torch.randn(1000, 16, generator=generator)
        self.train, self.val = random_split(TensorDataset(x, kind), [800, 200], generator=generator)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)


class Classifier(L.LightningModule):
    def __init__(self, width=48, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(16, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 6)
        )
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        scores = self(x)
        self.log("val_loss", self.criterion(scores, y), prog_bar=True)
        self.log("val_acc", (scores.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        total = self.trainer.estimated_stepping_batches
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=self.hparams.lr, total_steps=total)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


L.seed_everything(1)
trainer = L.Trainer(
    max_epochs=5,
    accelerator="cpu",
    gradient_clip_val=1.0,
    logger=CSVLogger("logs"),
    callbacks=[ModelCheckpoint(monitor="val_loss", save_top_k=1), EarlyStopping("val_loss", patience=3), LearningRateMonitor("step")],
)
model, data = Classifier(), Blobs()
trainer.fit(model, data)
print(trainer.validate(model, data, ckpt_path="best"))
print("weights", [p.detach().double().sum().item() for p in model.parameters()])
