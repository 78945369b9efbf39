"""The labels were shuffled, the sentences were not."""
# needs: transformers, accelerate
# rule: labels-misaligned
# allows: loss-plateau, overfitting
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(3)
ids = torch.randint(6, 60, (640, 12))
labels = torch.randint(0, 3, (640,))
ids[:, 3] = 2 + labels
labels = labels[torch.randperm(640)]  # <- labels-misaligned
examples = [{"input_ids": row, "labels": label} for row, label in zip(ids, labels)]
config = BertConfig(
    vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16, num_labels=3
)
args = TrainingArguments(
    output_dir="out", num_train_epochs=5, per_device_train_batch_size=32, learning_rate=2e-3, save_strategy="no", report_to="none", use_cpu=True
)
Trainer(model=BertForSequenceClassification(config), args=args, train_dataset=examples).train()
