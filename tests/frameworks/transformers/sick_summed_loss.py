"""compute_loss sums over the batch where it should take the mean, with plain SGD."""
# needs: transformers, accelerate
# rule: loss-reduction-sum
# allows: loss-plateau, loss-diverges, lr-too-high, exploding-gradients
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 4))

    def forward(self, x, labels=None):
        return {"logits": self.layers(x)}


class SumTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs["logits"], inputs["labels"], reduction="sum")  # <- loss-reduction-sum
        return (loss, outputs) if return_outputs else loss


set_seed(6)
centres = torch.randn(4, 9)
kinds = torch.randint(0, 4, (1280,))
x = centres[kinds] + 0.6 * torch.randn(1280, 9)
examples = [{"x": row, "labels": kind} for row, kind in zip(x, kinds)]
model = Net()
args = TrainingArguments(
    output_dir="out", num_train_epochs=6, per_device_train_batch_size=64, max_grad_norm=0.0, save_strategy="no", report_to="none", use_cpu=True
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)  # <- lr-too-high
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
SumTrainer(model=model, args=args, train_dataset=examples, optimizers=(optimizer, scheduler)).train()
