"""Sentences of 24 tokens for a model with 16 positions."""
# needs: transformers, accelerate
# rule: position-overflow
# exits: 1
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(3)
ids = torch.randint(6, 60, (300, 24))
examples = [{"input_ids": row, "labels": row[0] % 2} for row in ids]
config = BertConfig(
    vocab_size=60,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,  # <- position-overflow
)
args = TrainingArguments(output_dir="out", num_train_epochs=1, save_strategy="no", report_to="none", use_cpu=True)
Trainer(model=BertForSequenceClassification(config), args=args, train_dataset=examples).train()
