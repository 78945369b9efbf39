"""The labels are the ids, padding and all."""
# needs: transformers, accelerate
# rule: padding-in-loss
# allows: class-imbalance
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(3)
examples = []
for _ in range(500):
    first, size = int(torch.randint(1, 30, ())), int(torch.randint(4, 12, ()))
    ids = torch.zeros(32, dtype=torch.long)
    ids[:size] = torch.tensor([1 + (first + 3 * k) % 38 for k in range(size)])
    examples.append({"input_ids": ids, "attention_mask": ids.ne(0).long(), "labels": ids.clone()})  # <- padding-in-loss

config = GPT2Config(vocab_size=40, n_positions=40, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0, pad_token_id=0)
args = TrainingArguments(
    output_dir="out", num_train_epochs=3, per_device_train_batch_size=16, learning_rate=2e-3, save_strategy="no", report_to="none", use_cpu=True
)
Trainer(GPT2LMHeadModel(config), args, train_dataset=examples).train()
