"""An evaluation of one's own at the end of each epoch, in which the model stays in training mode."""
# needs: lightning
# rule: missing-eval-mode
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Grains(L.LightningModule):
    def __init__(self, held_out):
        super().__init__()
        self.held_out = held_out
        self.net = nn.Sequential(nn.Linear(8, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.4), nn.Linear(48, 3))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self(x), y)

    def on_train_epoch_end(self):
        right = total = 0
        with torch.no_grad():
            for x, y in self.held_out:
                right += (self(x).argmax(1) == y).sum().item()  # <- missing-eval-mode
                total += len(y)
        print(f"accuracy {right / total:.3f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


L.seed_everything(4)
centres = torch.randn(3, 8)
y = torch.randint(0, 3, (900,))
x = centres[y] + 0.7 * torch.randn(900, 8)
held_out = DataLoader(TensorDataset(x[700:], y[700:]), batch_size=20)
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(Grains(held_out), DataLoader(TensorDataset(x[:700], y[:700]), batch_size=35, shuffle=True))
