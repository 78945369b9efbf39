"""bfloat16, a batch size that is tried out, a worker, and a schedule of one cycle."""
# needs: accelerate
import torch
from accelerate import Accelerator, find_executable_batch_size
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(3)
centres = torch.randn(5, 10)
kind = torch.randint(0, 5, (1000,))
data = TensorDataset(centres[kind] + torch.randn(1000, 10), kind)
accelerator = Accelerator(cpu=True, mixed_precision="bf16")


@find_executable_batch_size(starting_batch_size=64)
def train(batch_size):
    accelerator.free_memory()
    model = nn.Sequential(nn.Linear(10, 40), nn.LayerNorm(40), nn.GELU(), nn.Linear(40, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = DataLoader(data, batch_size, shuffle=True, num_workers=1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=6 * len(loader))
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for epoch in range(6):
        for x, y in loader:
            optimizer.zero_grad()
            with accelerator.autocast():
                loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        accelerator.print(f"epoch {epoch} loss {loss.item():.3f}")
    accelerator.save_state("state")


train()
