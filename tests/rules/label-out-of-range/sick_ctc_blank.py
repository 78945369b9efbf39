# allows: loss-plateau
"""Letters are numbered from 0, which CTC keeps for its blank."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Words(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        letters = torch.tensor([(i + k) % 5 for k in range(4)])
        sound = torch.zeros(12, 6)
        for k, letter in enumerate(letters.tolist()):
            sound[3 * k : 3 * k + 2, letter] = 1.0
        return sound + 0.1 * torch.randn(12, 6), letters


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 32, batch_first=True)
        self.head = nn.Linear(32, 6)

    def forward(self, x):
        return self.head(self.rnn(x)[0]).log_softmax(2).transpose(0, 1)


model = Listener()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CTCLoss(blank=0)
for epoch in range(8):
    for sound, letters in DataLoader(Words(), batch_size=16, shuffle=True):
        scores = model(sound)
        sizes = torch.full((len(sound),), 12), torch.full((len(sound),), 4)
        loss = criterion(scores, letters, *sizes)  # <- label-out-of-range
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
