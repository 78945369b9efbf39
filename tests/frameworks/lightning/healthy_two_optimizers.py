"""A small GAN under manual optimisation, with two optimizers that are toggled."""
# needs: lightning
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Ring(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def training_step(self, batch, batch_idx):
        (real,) = batch
        of_generator, of_critic = self.optimizers()
        noise = torch.randn(len(real), 4)

        self.toggle_optimizer(of_generator)
        scores = self.critic(self.generator(noise))
        loss = F.binary_cross_entropy_with_logits(scores, torch.ones_like(scores))
        of_generator.zero_grad()
        self.manual_backward(loss)
        of_generator.step()
        self.untoggle_optimizer(of_generator)

        self.toggle_optimizer(of_critic)
        good, bad = self.critic(real), self.critic(self.generator(noise).detach())
        ones, zeros = torch.ones_like(good), torch.zeros_like(bad)
        loss = F.binary_cross_entropy_with_logits(good, ones) + F.binary_cross_entropy_with_logits(bad, zeros)
        of_critic.zero_grad()
        self.manual_backward(loss)
        of_critic.step()
        self.untoggle_optimizer(of_critic)
        self.log("critic", loss, prog_bar=True)

    def configure_optimizers(self):
        one = torch.optim.Adam(self.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
        return [one, torch.optim.Adam(self.critic.parameters(), lr=1e-3, betas=(0.5, 0.9))], []


torch.manual_seed(2)
angle = 6.283 * torch.rand(1000)
points = torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(1000, 2)
trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Ring(), DataLoader(TensorDataset(points), batch_size=50, shuffle=True))
