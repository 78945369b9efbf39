"""Blocks of 24 tokens for a GPT-2 with 16 positions."""
# needs: transformers, accelerate
# rule: position-overflow
# exits: 1
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(3)
blocks = [{"input_ids": row, "labels": row.clone()} for row in torch.randint(0, 40, (300, 24))]
config = GPT2Config(
    vocab_size=40,
    n_positions=16,  # <- position-overflow
    n_embd=32,
    n_layer=2,
    n_head=2,
    bos_token_id=0,
    eos_token_id=0,
)
args = TrainingArguments(output_dir="out", num_train_epochs=1, save_strategy="no", report_to="none", use_cpu=True)
Trainer(GPT2LMHeadModel(config), args, train_dataset=blocks).train()
