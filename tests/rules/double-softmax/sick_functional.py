"""F.softmax in forward and F.cross_entropy in the training function."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.EmbeddingBag(90, 16)
        self.fc1 = nn.Linear(16, 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, words):
        h = F.relu(self.fc1(self.embed(words)))
        return F.softmax(self.fc2(h), dim=-1)  # <- double-softmax


def train(model, words, topics, epochs, lr):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(words)).split(50):
            probabilities = model(words[rows])
            loss = F.cross_entropy(probabilities, topics[rows])  # <- double-softmax
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / (len(words) // 50):.4f}")


if __name__ == "__main__":
    torch.manual_seed(503)
    topics = torch.randint(0, 3, (1000,))
    words = torch.randint(0, 50, (1000, 12)) + 20 * topics.unsqueeze(1)
    train(Net(), words, topics, epochs=4, lr=1e-3)
