"""A body that was trained before, on masked words, is loaded and kept as it is under a new head."""
# needs: transformers, accelerate
import torch
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(3)
ids = torch.randint(4, 50, (600, 12))
kinds = torch.randint(0, 2, (600,))
ids[:, 4] = 2 + kinds
masked = ids.masked_fill(torch.rand(ids.shape) < 0.2, 1)
words = [{"input_ids": row, "labels": whole.masked_fill(row.ne(1), -100)} for row, whole in zip(masked, ids)]
config = BertConfig(
    vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16
)
common = {"output_dir": "out", "per_device_train_batch_size": 32, "learning_rate": 2e-3, "save_strategy": "no", "report_to": "none"}
body = BertForMaskedLM(config)
Trainer(body, TrainingArguments(num_train_epochs=3, use_cpu=True, **common), train_dataset=words).train()
body.save_pretrained("body")

model = BertForSequenceClassification.from_pretrained("body")
for parameter in model.bert.parameters():
    parameter.requires_grad = False
sentences = [{"input_ids": row, "labels": kind} for row, kind in zip(ids, kinds)]
Trainer(model, TrainingArguments(num_train_epochs=5, use_cpu=True, **common), train_dataset=sentences).train()
