"""Adam at 3.0 in configure_optimizers."""
# needs: lightning
# rule: lr-too-high
# allows: loss-plateau, dead-relu, loss-diverges, exploding-gradients
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Beans(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 5))
        self.criterion = nn.CrossEntropyLoss()

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self.net(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=self.lr)  # <- lr-too-high


torch.manual_seed(4)
centres = torch.randn(5, 10)
labels = torch.randint(0, 5, (800,))
loader = DataLoader(TensorDataset(centres[labels] + torch.randn(800, 10), labels), batch_size=50, shuffle=True)
trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
model = Beans(lr=3.0)  # <- lr-too-high
trainer.fit(model, loader)
