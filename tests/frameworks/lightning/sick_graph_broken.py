"""training_step returns a tensor made anew of the loss's value."""
# needs: lightning
# rule: graph-broken
# accepts: loss-detached-from-model
# allows: loss-plateau
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Bills(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y).item()  # <- graph-broken, loss-detached-from-model
        self.log("loss", loss, prog_bar=True)
        return torch.tensor(loss, requires_grad=True)  # <- graph-broken, loss-detached-from-model

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(0)
x = torch.randn(500, 5)
y = (x[:, 0] + x[:, 3] > 0).long()
trainer = L.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Bills(), DataLoader(TensorDataset(x, y), batch_size=25, shuffle=True))
