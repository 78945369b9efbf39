"""A small BERT on sentences of a made-up language, evaluated and saved each epoch, with the best model loaded at the end."""
# needs: transformers, accelerate
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

LENGTH, WORDS = 16, 100


class Sentences(Dataset):
    def __init__(self, n, seed):
        generator = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(3, WORDS, (n, LENGTH), generator=generator)
        self.sizes = torch.randint(6, LENGTH + 1, (n,), generator=generator)
        self.labels = torch.randint(0, 2, (n,), generator=generator)
        for row, (size, label) in enumerate(zip(self.sizes.tolist(), self.labels.tolist())):
            self.ids[row, 0] = 1
            self.ids[row, 2 + row % 4] = 10 + label
            self.ids[row, size:] = 0

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        mask = (torch.arange(LENGTH) < self.sizes[i]).long()
        return {"input_ids": self.ids[i], "attention_mask": mask, "labels": self.labels[i]}


def accuracy(prediction):
    scores, labels = prediction
    return {"accuracy": float((scores.argmax(-1) == labels).mean())}


set_seed(5)
config = BertConfig(
    vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=LENGTH
)
model = BertForSequenceClassification(config)
args = TrainingArguments(
    output_dir="out",
    num_train_epochs=5,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=64,
    learning_rate=2e-3,
    warmup_steps=10,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="accuracy",
    logging_steps=10,
    report_to="none",
    use_cpu=True,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=Sentences(640, 1),
    eval_dataset=Sentences(128, 2),
    compute_metrics=accuracy,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
)
trainer.train()
print(trainer.evaluate())
print("weights", [p.detach().double().sum().item() for p in model.parameters()])
