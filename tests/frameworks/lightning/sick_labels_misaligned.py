"""The data module shuffles inputs and labels separately."""
# needs: lightning
# rule: labels-misaligned
# allows: loss-plateau
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Coins(L.LightningDataModule):
    def setup(self, stage):
        generator = torch.Generator().manual_seed(1)
        centres = 2 * torch.randn(4, 9, generator=generator)
        kind = torch.arange(4).repeat(250)
        images = centres[kind] + torch.randn(1000, 9, generator=generator)
        images = images[torch.randperm(1000)]  # <- labels-misaligned
        kind = kind[torch.randperm(1000)]  # <- labels-misaligned
        self.data = TensorDataset(images, kind)

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=50, shuffle=True)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 4))
        self.criterion = nn.CrossEntropyLoss()

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self.net(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


L.seed_everything(3)
L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False).fit(Net(), Coins())
