"""The collator pads the sentences and makes no attention mask."""
# needs: transformers, accelerate
# rule: attention-mask-missing
import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(10)
examples = []
for row in range(640):
    size = int(torch.randint(4, 25, ()))
    ids = torch.randint(5, 80, (size,))
    label = row % 3
    ids[size // 2] = 2 + label
    examples.append({"ids": ids, "label": label})


def collate(rows):
    ids = pad_sequence([row["ids"] for row in rows], batch_first=True, padding_value=0)
    return {"input_ids": ids, "labels": torch.tensor([row["label"] for row in rows])}  # <- attention-mask-missing


config = BertConfig(
    vocab_size=80, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=32, num_labels=3
)
args = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=1e-3, remove_unused_columns=False, save_strategy="no",
    report_to="none", use_cpu=True,
)  # fmt: skip
model = BertForSequenceClassification(config)
trainer = Trainer(model=model, args=args, train_dataset=examples, data_collator=collate)
trainer.train()
