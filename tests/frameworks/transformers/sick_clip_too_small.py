"""max_grad_norm of 1e-4 under SGD: nearly all of every update is cut away."""
# needs: transformers, accelerate
# rule: grad-clip-too-small
# allows: loss-plateau, lr-too-low
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 4))
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x, labels=None):
        logits = self.layers(x)
        return {"loss": self.criterion(logits, labels), "logits": logits}


set_seed(6)
centres = torch.randn(4, 9)
kinds = torch.randint(0, 4, (1280,))
x = centres[kinds] + 0.6 * torch.randn(1280, 9)
examples = [{"x": row, "labels": kind} for row, kind in zip(x, kinds)]
args = TrainingArguments(
    output_dir="out",
    num_train_epochs=5,
    per_device_train_batch_size=64,
    optim="sgd",
    learning_rate=0.1,
    max_grad_norm=1e-4,  # <- grad-clip-too-small
    lr_scheduler_type="constant",
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)
Trainer(model=Net(), args=args, train_dataset=examples).train()
