"""The body of a model that was never pretrained is frozen."""
# needs: transformers, accelerate
# rule: frozen-by-mistake
# allows: loss-plateau
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class Pairs(Dataset):
    def __init__(self, n):
        self.ids = torch.randint(5, 80, (n, 14))
        self.labels = torch.randint(0, 2, (n,))
        one = torch.randint(0, 7, (n,))
        self.ids[torch.arange(n), one] = 3
        self.ids[torch.arange(n), one + 7 * self.labels.roll(0)] = 4

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.labels[i]}


set_seed(4)
config = BertConfig(
    vocab_size=80, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=14
)
model = BertForSequenceClassification(config)
for parameter in model.bert.parameters():  # <- frozen-by-mistake
    parameter.requires_grad = False  # <- frozen-by-mistake
args = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=1e-3, save_strategy="no", report_to="none", use_cpu=True
)
Trainer(model=model, args=args, train_dataset=Pairs(640)).train()
