"""A tiny GPT-2 over two micro-batches a step with a cosine schedule; goes on from its own checkpoint."""
# needs: transformers, accelerate
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

PHRASES = ["red stones roll down. ", "a bird sings at dawn. ", "cold rivers run deep. ", "we walk home slowly. "]


class Blocks(Dataset):
    def __init__(self, ids, size=24):
        self.blocks = ids[: len(ids) // size * size].view(-1, size)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, i):
        return {"input_ids": self.blocks[i], "labels": self.blocks[i].clone()}


set_seed(8)
text = "".join(PHRASES[i] for i in torch.randint(0, len(PHRASES), (400,)).tolist())
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text])
cut = int(0.85 * len(ids))
config = GPT2Config(vocab_size=len(letters), n_positions=32, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0)
args = TrainingArguments(
    output_dir="out",
    max_steps=60,
    per_device_train_batch_size=8,
    gradient_accumulation_steps=2,
    learning_rate=5e-3,
    lr_scheduler_type="cosine",
    warmup_steps=8,
    eval_strategy="steps",
    eval_steps=20,
    save_steps=30,
    logging_steps=5,
    report_to=[],
    use_cpu=True,
)
train, test = Blocks(ids[:cut]), Blocks(ids[cut:])
Trainer(GPT2LMHeadModel(config), args, train_dataset=train, eval_dataset=test).train()
trainer = Trainer(GPT2LMHeadModel(config), args, train_dataset=train, eval_dataset=test)
trainer.args.max_steps = 80
trainer.train(resume_from_checkpoint=True)
trainer.save_model("final")
print(GPT2LMHeadModel.from_pretrained("final").generate(ids[:6][None], max_new_tokens=12, do_sample=False, pad_token_id=0))
