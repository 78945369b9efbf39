"""A callback that measures the accuracy by itself and leaves the model in training mode."""
# needs: transformers, accelerate
# rule: missing-eval-mode
import torch
from torch.utils.data import DataLoader, Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed


class Sentences(Dataset):
    def __init__(self, n):
        self.ids = torch.randint(4, 60, (n, 12))
        self.labels = torch.randint(0, 4, (n,))
        self.ids[:, 3] = self.labels

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.labels[i]}


class Accuracy(TrainerCallback):
    def __init__(self, data):
        self.loader = DataLoader(data, batch_size=32)

    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        right = []
        with torch.no_grad():
            for batch in self.loader:
                right.append(model(**batch).logits.argmax(-1) == batch["labels"])  # <- missing-eval-mode
        print(f"accuracy {torch.cat(right).float().mean():.3f}")


set_seed(9)
config = BertConfig(
    vocab_size=60, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=12, num_labels=4
)
args = TrainingArguments(
    output_dir="out", num_train_epochs=5, per_device_train_batch_size=32, learning_rate=1e-3, save_strategy="no", report_to="none", use_cpu=True
)
trainer = Trainer(
    model=BertForSequenceClassification(config), args=args, train_dataset=Sentences(640), callbacks=[Accuracy(Sentences(160))]
)
trainer.train()
