"""The model is put in eval mode when the training starts; Lightning's own evaluations come after."""
# needs: lightning
# rule: eval-mode-in-training
# allows: overfitting
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Dropout(0.5), nn.Linear(40, 4))

    def on_train_start(self):
        self.eval()  # <- eval-mode-in-training

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


L.seed_everything(3)
centres = torch.randn(4, 10)
y = torch.randint(0, 4, (800,))
x = centres[y] + 0.7 * torch.randn(800, 10)
train, val = TensorDataset(x[:640], y[:640]), TensorDataset(x[640:], y[640:])
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Net(), DataLoader(train, batch_size=32, shuffle=True), DataLoader(val, batch_size=80))
