"""Alternating minimisation: factors of users and items are fitted in turns, the second optimizer is made when its turn comes."""
import torch

torch.manual_seed(163)
true = torch.randn(40, 3) @ torch.randn(3, 30)
observed = torch.rand(40, 30) < 0.6
users = (0.1 * torch.randn(40, 3)).requires_grad_()
items = (0.1 * torch.randn(30, 3)).requires_grad_()


def fit(factor, steps):
    optimizer = torch.optim.Adam([factor], lr=0.05)
    for _ in range(steps):
        users.grad = items.grad = None
        loss = ((users @ items.T - true)[observed] ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss.item()


for turn in range(4):
    print(f"turn {turn} users {fit(users, 25):.4f} items {fit(items, 25):.4f}")
