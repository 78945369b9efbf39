"""torch.multiprocessing.spawn and a Pool beside the training."""

import torch
import torch.multiprocessing as mp
from torch import nn


def train(rank, results):
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(20):
        x = torch.randn(8, 3)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    results.put((rank, loss.item().hex()))


if __name__ == "__main__":
    results = mp.get_context("spawn").SimpleQueue()
    mp.spawn(train, (results,), nprocs=2)
    print(sorted(results.get() for _ in range(2)))
    with mp.get_context("fork").Pool(2) as pool:
        print(pool.map(abs, [-1, 2, -3]))
