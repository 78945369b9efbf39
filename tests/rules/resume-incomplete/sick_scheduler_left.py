"""A trainer that resumes with weights and optimizer, but begins the schedule anew."""
# args: --resume

import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        torch.manual_seed(1)
        self.model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda epoch: 0.5**epoch)
        self.epoch = 0

    def save(self, path):
        state = {"epoch": self.epoch, "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save({**state, "scheduler": self.scheduler.state_dict()}, path)

    def resume(self, path):
        state = torch.load(path)  # <- resume-incomplete
        self.model.load_state_dict(state["model"])  # <- resume-incomplete
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch = state["epoch"]

    def fit(self, epochs):
        for _ in range(epochs):
            for _ in range(8):
                x = torch.randn(32, 6)
                loss = F.mse_loss(self.model(x), x.sum(1, keepdim=True).sin())
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.scheduler.step()
            self.epoch += 1
            print(self.epoch, loss.item(), self.scheduler.get_last_lr())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    arguments = parser.parse_args()
    first = Trainer()
    first.fit(4)
    first.save("checkpoint.pt")
    if arguments.resume:
        second = Trainer()
        second.resume("checkpoint.pt")
        second.fit(4)
