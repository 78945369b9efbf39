"""A module of one's own under the Trainer, with compute_loss and weights by class overridden."""
# needs: transformers, accelerate
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed


class Readings(Dataset):
    def __init__(self, n, seed):
        generator = torch.Generator().manual_seed(seed)
        self.kind = torch.randint(0, 3, (n,), generator=generator)
        centres = torch.tensor([[2.0, 0, 0, 1, -1, 0], [0, 2.0, -1, 0, 1, 0], [0, 0, 2.0, -1, 0, 1]])
        self.x = centres[self.kind] + torch.randn(n, 6, generator=generator)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "labels": self.kind[i]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.GELU())
        self.head = nn.Linear(32, 3)

    def forward(self, x, labels=None):
        return {"logits": self.head(self.body(x))}


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs["labels"]
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs["logits"], labels, weight=torch.tensor([1.0, 1.2, 0.8]))
        return (loss, outputs) if return_outputs else loss


set_seed(2)
args = TrainingArguments(
    output_dir="out", num_train_epochs=6, per_device_train_batch_size=24, learning_rate=3e-3, lr_scheduler_type="constant",
    eval_strategy="epoch", save_strategy="no", logging_steps=20, report_to="none", use_cpu=True, disable_tqdm=True,
)  # fmt: skip
trainer = Weighted(model=Net(), args=args, train_dataset=Readings(720, 1), eval_dataset=Readings(120, 2))
trainer.train()
