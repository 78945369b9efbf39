"""A learning rate of 0.5 in TrainingArguments."""
# needs: transformers, accelerate
# rule: lr-too-high
# allows: loss-plateau, loss-diverges, exploding-gradients, saturated-activations
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class Sentences(Dataset):
    def __init__(self, n):
        self.ids = torch.randint(3, 60, (n, 12))
        self.labels = torch.randint(0, 3, (n,))
        self.ids[torch.arange(n), torch.randint(0, 12, (n,))] = self.labels

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.labels[i]}


set_seed(1)
config = BertConfig(
    vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=12, num_labels=3
)
args = TrainingArguments(
    output_dir="out",
    num_train_epochs=6,
    per_device_train_batch_size=32,
    learning_rate=0.5,  # <- lr-too-high
    logging_steps=20,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)
trainer = Trainer(model=BertForSequenceClassification(config), args=args, train_dataset=Sentences(640))
trainer.train()
