"""compute_loss takes the softmax before cross_entropy."""
# needs: transformers, accelerate
# rule: double-softmax
# allows: loss-plateau
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class Sentences(Dataset):
    def __init__(self, n):
        self.ids = torch.randint(4, 60, (n, 12))
        self.labels = torch.randint(0, 4, (n,))
        self.ids[:, 3] = self.labels

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.labels[i]}


class MyTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        probabilities = torch.softmax(outputs.logits, dim=-1)  # <- double-softmax
        loss = torch.nn.functional.cross_entropy(probabilities, labels)  # <- double-softmax
        return (loss, outputs) if return_outputs else loss


set_seed(7)
config = BertConfig(
    vocab_size=60, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=12, num_labels=4
)
args = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=1e-3, save_strategy="no", report_to="none", use_cpu=True
)
MyTrainer(model=BertForSequenceClassification(config), args=args, train_dataset=Sentences(640)).train()
