"""The loop of accelerate's own examples: accumulation, a schedule, clipping, evaluation, and a state that is saved and gone on from."""
# needs: accelerate
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loaders():
    centres = 1.5 * torch.randn(5, 12)
    kind = torch.randint(0, 5, (1300,))
    x = centres[kind] + torch.randn(1300, 12)
    train, test = TensorDataset(x[:1040], kind[:1040]), TensorDataset(x[1040:], kind[1040:])
    return DataLoader(train, batch_size=26, shuffle=True), DataLoader(test, batch_size=52)


def evaluate(accelerator, model, loader):
    model.eval()
    right = total = 0
    for x, y in loader:
        with torch.no_grad():
            guess = model(x).argmax(-1)
        guess, y = accelerator.gather_for_metrics((guess, y))
        right += (guess == y).sum().item()
        total += len(y)
    return right / total


def main():
    set_seed(4)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    train, test = loaders()
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=100)
    model, optimizer, train, test, scheduler = accelerator.prepare(model, optimizer, train, test, scheduler)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(5):
        model.train()
        for x, y in train:
            with accelerator.accumulate(model):
                loss = criterion(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch} accuracy {evaluate(accelerator, model, test):.3f}")
        if epoch == 2:
            accelerator.save_state("state")
        if epoch == 3:
            accelerator.load_state("state")
    accelerator.save_model(model, "model")
    print("weights", [p.detach().double().sum().item() for p in model.parameters()])


main()
