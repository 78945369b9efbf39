"""Loader workers started in each of the three ways, twice over, also persistent; what they see and give."""

import os
import random
import sys
import warnings

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

warnings.filterwarnings("ignore", "This process")
warnings.filterwarnings("ignore", category=DeprecationWarning)


class Items(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        info = get_worker_info()
        drawn = [random.random(), torch.rand(1).item(), torch.get_num_threads()]
        return torch.tensor([i, info.id, info.num_workers, info.seed % 1000, *drawn])


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        yield from range(info.id, 12, info.num_workers)


def start(worker):
    random.seed(worker)
    np.random.seed(worker)


def trained(loader, model, optimizer):
    for batch in loader:
        loss = model(batch[:, 4:6].float()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print([round(v, 6) for v in batch.sum(0).tolist()], loss.item().hex())


def main():
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for context in sys.argv[1:]:
        generator = torch.Generator().manual_seed(5)
        options = {"num_workers": 2, "multiprocessing_context": context}
        loader = DataLoader(Items(), 4, shuffle=True, worker_init_fn=start, generator=generator, persistent_workers=True, **options)
        for _ in range(2):
            trained(loader, model, optimizer)
        print(context, sorted(DataLoader(Stream(), None, num_workers=2, multiprocessing_context=context)), flush=True)
        del loader
    print("environment", sorted(name for name in os.environ if "DOCTORCH" in name or name == "PYTHONPATH" and "boot" in os.environ[name]))


if __name__ == "__main__":
    main()
