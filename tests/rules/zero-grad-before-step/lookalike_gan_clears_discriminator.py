"""The generator's backward fills the discriminator's gradients; netD.zero_grad() throws them away before D's own turn."""
import torch
import torch.nn as nn


class GANTrainer:
    def __init__(self):
        self.netG = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 8))
        self.netD = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())
        self.optimizerG = torch.optim.Adam(self.netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
        self.optimizerD = torch.optim.Adam(self.netD.parameters(), lr=1e-3, betas=(0.5, 0.999))
        self.criterion = nn.BCELoss()

    def train_step(self, real):
        size = len(real)
        # (1) update D: maximise log(D(x)) + log(1 - D(G(z)))
        self.netD.zero_grad()
        errD_real = self.criterion(self.netD(real).view(-1), torch.ones(size))
        errD_real.backward()
        fake = self.netG(torch.randn(size, 4))
        errD_fake = self.criterion(self.netD(fake.detach()).view(-1), torch.zeros(size))
        errD_fake.backward()
        self.optimizerD.step()
        # (2) update G: maximise log(D(G(z)))
        self.netG.zero_grad()
        errG = self.criterion(self.netD(fake).view(-1), torch.ones(size))
        errG.backward()
        self.optimizerG.step()
        return (errD_real + errD_fake).item(), errG.item()


torch.manual_seed(61)
mixing = torch.randn(2, 8)
trainer = GANTrainer()
for i in range(120):
    errD, errG = trainer.train_step(torch.randn(64, 2) @ mixing + 1.0)
    if i % 30 == 0:
        print(f"[{i}] Loss_D: {errD:.4f} Loss_G: {errG:.4f}")
