"""One reading of the data set is no number; accelerate's loaders fetch a batch ahead of the one that is trained on."""
# needs: transformers, accelerate
# rule: nan-in-data
# allows: loss-diverges, exploding-gradients
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x, labels=None):
        logits = self.layers(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


set_seed(1)
kinds = torch.randint(0, 3, (600,))
x = torch.randn(3, 12)[kinds] + torch.randn(600, 12)
x[111, 4] = float("nan")
readings = [{"x": row, "labels": kind} for row, kind in zip(x, kinds)]
args = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=3e-3, save_strategy="no", report_to="none", use_cpu=True
)
trainer = Trainer(Net(), args, train_dataset=readings)
trainer.train()  # <- nan-in-data
