"""A learning rate of 1e-6 for a model that begins at random."""
# needs: transformers, accelerate
# rule: lr-too-low
# allows: loss-plateau, vanishing-gradients
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig, BertForSequenceClassification, DataCollatorWithPadding, PreTrainedTokenizerFast, Trainer, TrainingArguments, set_seed,
)  # fmt: skip

set_seed(1)
words = "stone river bird wood cold dawn deep slow red home walk run sing roll and the a in on".split()
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
plain = Tokenizer(models.WordLevel({word: i for i, word in enumerate([*special, *words])}, unk_token="[UNK]"))
plain.pre_tokenizer = pre_tokenizers.Whitespace()
plain.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]")
examples = []
for _ in range(800):
    picked = torch.randint(0, len(words), (int(torch.randint(5, 14, ())),)).tolist()
    text = " ".join(words[i] for i in picked)
    examples.append({**tokenizer(text), "label": int("bird" in text)})

config = BertConfig(
    vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=32
)
args = TrainingArguments(
    output_dir="out",
    num_train_epochs=8,
    per_device_train_batch_size=32,
    learning_rate=1e-6,  # <- lr-too-low
    lr_scheduler_type="constant",
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)
collator = DataCollatorWithPadding(tokenizer)
Trainer(BertForSequenceClassification(config), args, train_dataset=examples, data_collator=collator).train()
