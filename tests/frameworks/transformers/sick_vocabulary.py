"""The configuration has fewer words than the tokens come to."""
# needs: transformers, accelerate
# rule: embedding-too-small
# accepts: vocab-mismatch
# exits: 1
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(0)
words = "stone river bird wood cold dawn deep slow red home walk run sing roll".split()
index = {word: number for number, word in enumerate(["[PAD]", "[CLS]", "[UNK]", *words])}
examples = []
for row in range(400):
    picked = torch.randint(0, len(words) - (row % 50 > 0), (8,)).tolist()
    ids = [index["[CLS]"], *(index[words[i]] for i in picked)]
    examples.append({"input_ids": ids, "labels": int(index["bird"] in ids)})

config = BertConfig(  # <- embedding-too-small
    vocab_size=len(words) + 2,  # <- embedding-too-small
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,
)
model = BertForSequenceClassification(config)  # <- embedding-too-small
args = TrainingArguments(output_dir="out", per_device_train_batch_size=20, num_train_epochs=2, report_to="none", save_strategy="no", use_cpu=True)
trainer = Trainer(model=model, args=args, train_dataset=examples)
trainer.train()
