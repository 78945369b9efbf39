"""The collator shifts the labels; GPT2LMHeadModel shifts them once more."""
# needs: transformers, accelerate
# rule: label-shift
# allows: loss-plateau
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(3)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood " * 30
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text])
starts = torch.randint(0, len(ids) - 26, (400,)).tolist()
examples = [{"ids": ids[i : i + 25]} for i in starts]


def collate(rows):
    whole = torch.stack([row["ids"] for row in rows])
    return {"input_ids": whole[:, :-1], "labels": whole[:, 1:]}  # <- label-shift


config = GPT2Config(vocab_size=len(letters), n_positions=24, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
args = TrainingArguments(
    output_dir="out", num_train_epochs=3, per_device_train_batch_size=16, learning_rate=3e-3, remove_unused_columns=False,
    save_strategy="no", report_to="none", use_cpu=True,
)  # fmt: skip
trainer = Trainer(model=GPT2LMHeadModel(config), args=args, train_dataset=examples, data_collator=collate)
trainer.train()
