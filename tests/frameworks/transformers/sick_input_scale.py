"""Readings from 0 to 255 go into the model as they are."""
# needs: transformers, accelerate
# rule: input-scale-large
# allows: loss-plateau, dead-relu, lr-too-high, exploding-gradients
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x, labels=None):
        logits = self.layers(x)
        return {"loss": self.criterion(logits, labels), "logits": logits}


set_seed(1)
kinds = torch.randint(0, 3, (900,))
x = torch.randn(3, 12)[kinds] + torch.randn(900, 12)
x = ((x - x.min()) / (x.max() - x.min()) * 255).round()  # <- input-scale-large
readings = [{"x": row, "labels": kind} for row, kind in zip(x, kinds)]  # <- input-scale-large
args = TrainingArguments(
    output_dir="out", num_train_epochs=6, per_device_train_batch_size=32, optim="sgd", learning_rate=5e-2, max_grad_norm=0.0,
    lr_scheduler_type="constant", save_strategy="no", report_to="none", use_cpu=True,
)  # fmt: skip
Trainer(Net(), args, train_dataset=readings).train()
