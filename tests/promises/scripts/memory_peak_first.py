"""As ``memory_peak.py``, over the very first steps of the process, which observers look at most closely; no warming up."""

import torch
from torch import nn
from torch.autograd.profiler import profile

torch.manual_seed(0)


def peak(events):
    total = highest = 0
    for event in sorted((e for e in events if e.name() == "[memory]"), key=lambda e: e.start_ns()):
        total += event.nbytes()
        highest = max(highest, total)
    return highest


with profile(profile_memory=True) as profiler:
    model = nn.Sequential(nn.Flatten(), *(nn.Sequential(nn.Linear(256, 256), nn.ReLU()) for _ in range(8)), nn.Linear(256, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with torch.no_grad():
        # Before the first backward, where the first close look still goes on: each activation is dropped at once.
        model(torch.randn(4000, 256))
    for _ in range(3):
        x, y = torch.randn(64, 1, 16, 16), torch.randint(0, 5, (64,))
        scores = model(x)
        big = torch.randn(1500, 256)
        statistics = [(big @ big.T).mean().item(), big.exp().sum().item()]
        del big
        loss = nn.functional.cross_entropy(scores, y) + 1e-9 * sum(statistics)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model(torch.randn(3000, 256))
print(peak(profiler.kineto_results.events()))
