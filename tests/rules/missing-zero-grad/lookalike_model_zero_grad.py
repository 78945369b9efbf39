"""The trainer clears through the model, as Hugging Face's Trainer does, and never through the optimizer."""
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, optimizer, scheduler):
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler

    def compute_loss(self, inputs):
        logits = self.model(inputs["input_ids"])
        return nn.functional.cross_entropy(logits, inputs["labels"])

    def training_step(self, inputs):
        self.model.train()
        loss = self.compute_loss(inputs)
        loss.backward()
        return loss.detach()

    def train(self, batches):
        running = torch.zeros(())
        for step, inputs in enumerate(batches, 1):
            running += self.training_step(inputs)
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.scheduler.step()
            self.model.zero_grad()
            if step % 20 == 0:
                print({"loss": round(running.item() / 20, 4), "learning_rate": self.scheduler.get_last_lr()[0]})
                running.zero_()


torch.manual_seed(1)
topic = torch.randint(0, 4, (100, 32))
ids = torch.randint(0, 30, (100, 32, 12)) + 30 * topic.unsqueeze(-1)
model = nn.Sequential(nn.Embedding(120, 24), nn.Flatten(), nn.Linear(288, 48), nn.ReLU(), nn.Linear(48, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=100)
Trainer(model, optimizer, scheduler).train({"input_ids": i, "labels": t} for i, t in zip(ids, topic))
