"""Manual optimisation in which zero_grad was forgotten."""
# needs: lightning
# rule: missing-zero-grad
# allows: loss-diverges, exploding-gradients, loss-plateau, lr-too-high
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tides(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.rnn = nn.GRU(3, 24, batch_first=True)
        self.head = nn.Linear(24, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        optimizer = self.optimizers()
        states, _ = self.rnn(x)
        loss = F.mse_loss(self.head(states[:, -1]), y)
        self.manual_backward(loss)  # <- missing-zero-grad
        optimizer.step()
        self.log("loss", loss, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.02, momentum=0.9)


L.seed_everything(5)
x = torch.randn(600, 12, 3)
y = torch.tanh(x[:, -4:].sum((1, 2)) / 3).unsqueeze(1)
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Tides(), DataLoader(TensorDataset(x, y), batch_size=30, shuffle=True))
