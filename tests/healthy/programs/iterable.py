import torch, torch.nn as nn
from torch.utils.data import IterableDataset, DataLoader, get_worker_info


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        wi = get_worker_info()
        g = torch.Generator().manual_seed(wi.id if wi else 0)
        for _ in range(self.n // (wi.num_workers if wi else 1)):
            L = int(torch.randint(3, 12, (1,), generator=g))
            s = torch.randint(1, 20, (L,), generator=g)
            yield s, int((s > 10).sum() > L / 2)


def pad(b):
    xs, ys = zip(*b)
    return nn.utils.rnn.pad_sequence(xs, batch_first=True), torch.tensor([len(x) for x in xs]), torch.tensor(ys)


class M(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(20, 16, padding_idx=0)
        s.g = nn.GRU(16, 32, batch_first=True)
        s.o = nn.Linear(32, 2)

    def forward(s, x, l):
        pk = nn.utils.rnn.pack_padded_sequence(s.e(x), l, batch_first=True, enforce_sorted=False)
        _, h = s.g(pk)
        return s.o(h[-1])


def main():
    torch.manual_seed(0)
    m = M()
    opt = torch.optim.Adam(m.parameters(), 5e-3)
    dl = DataLoader(Stream(800), 32, num_workers=2, collate_fn=pad)
    for ep in range(3):
        for x, l, y in dl:
            loss = nn.functional.cross_entropy(m(x, l), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(ep, loss.item())


if __name__ == "__main__":
    main()
