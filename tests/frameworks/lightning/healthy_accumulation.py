"""Regression by SGD over four micro-batches a step, with a schedule by epochs and a checkpoint that is gone on from."""
# needs: lightning
import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Springs(Dataset):
    def __init__(self, n, seed):
        generator = torch.Generator().manual_seed(seed)
        self.state = torch.randn(n, 8, generator=generator)
        self.force = (torch.sin(self.state[:, :4]).sum(1) - self.state[:, 4:].prod(1).clamp(-1, 1)).unsqueeze(1)

    def __len__(self):
        return len(self.state)

    def __getitem__(self, i):
        return {"state": self.state[i], "force": self.force[i]}


class Regressor(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.out = nn.Linear(64, 1)

    def step(self, batch, name):
        loss = F.mse_loss(self.out(self.body(batch["state"])), batch["force"])
        self.log(name, loss)
        return loss

    def training_step(self, batch, batch_idx):
        return self.step(batch, "train/loss")

    def validation_step(self, batch, batch_idx):
        self.step(batch, "val/loss")

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)]


pl.seed_everything(7)
train = DataLoader(Springs(1280, 1), batch_size=16, shuffle=True)
val = DataLoader(Springs(160, 2), batch_size=32)
common = {"accelerator": "cpu", "accumulate_grad_batches": 4, "logger": False, "enable_progress_bar": False}
trainer = pl.Trainer(max_epochs=4, enable_checkpointing=False, **common)
trainer.fit(Regressor(), train, val)
trainer.save_checkpoint("last.ckpt")
trainer = pl.Trainer(max_epochs=6, enable_checkpointing=False, **common)
trainer.fit(Regressor(), train, val, ckpt_path="last.ckpt")
