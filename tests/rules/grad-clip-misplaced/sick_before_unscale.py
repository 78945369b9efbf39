"""A trainer with a GradScaler that clips the scaled gradients."""
import torch
import torch.nn as nn


class Trainer:
    def __init__(self):
        torch.manual_seed(67)
        self.x = torch.randn(600, 8)
        self.y = self.x[:, :4].argmax(1)
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=5e-3)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)

    def train_step(self, rows):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(self.net(self.x[rows]).float(), self.y[rows])
        self.opt.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)  # <- grad-clip-misplaced
        self.scaler.step(self.opt)
        self.scaler.update()
        return loss.item()


trainer = Trainer()
for epoch in range(5):
    print(epoch, sum(trainer.train_step(rows) for rows in torch.randperm(600).split(30)) / 20)
