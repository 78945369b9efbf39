"""A tiny T5 that is given its labels and shifts them by itself; padded batches, padding left out of the loss."""
# needs: transformers, accelerate
import torch
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration, set_seed

PAD, END = 0, 1


def pair():
    ids = torch.randint(3, 20, (int(torch.randint(3, 9, ())),)).tolist()
    return {"input_ids": [*ids, END], "labels": [*ids[::-1], END]}


def collate(rows):
    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.tensor([row["input_ids"] + [PAD] * (longest - len(row["input_ids"])) for row in rows])
    labels = torch.tensor([row["labels"] + [-100] * (longest - len(row["labels"])) for row in rows])
    return {"input_ids": ids, "attention_mask": ids.ne(PAD).long(), "labels": labels}


set_seed(2)
pairs = [pair() for _ in range(700)]
config = T5Config(vocab_size=20, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=PAD)
args = Seq2SeqTrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=3e-3, eval_strategy="epoch", save_strategy="no",
    report_to="none", use_cpu=True,
)  # fmt: skip
trainer = Seq2SeqTrainer(
    model=T5ForConditionalGeneration(config), args=args, train_dataset=pairs[:600], eval_dataset=pairs[600:], data_collator=collate
)
trainer.train()
