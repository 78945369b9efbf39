import torch, torch.nn as nn

MODELS, OPTIMIZERS = {}, {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def register(cls):
    MODELS[cls.__name__] = cls
    return cls


@register
class Residual(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(12, width)
        self.blocks = nn.ModuleDict({f"b{i}": nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU()) for i in range(depth)})
        self.out = nn.Linear(width, 4)

    def forward(self, x):
        h = self.inp(x)
        for block in self.blocks.values():
            h = h + block(h)
        return self.out(h)


config = {"seed": 5, "model": {"name": "Residual", "width": 48, "depth": 3}, "optim": {"name": "adamw", "lr": 2e-3, "weight_decay": 1e-2}, "epochs": 6, "batch": 64}
torch.manual_seed(config["seed"])
x = torch.randn(2000, 12)
y = (torch.tanh(x) @ torch.randn(12, 4)).argmax(1)
args = dict(config["model"])
net = MODELS[args.pop("name")](**args)
args = dict(config["optim"])
optimizer = OPTIMIZERS[args.pop("name")](net.parameters(), **args)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=config["epochs"] * 25)
for epoch in range(config["epochs"]):
    for at in torch.randperm(1600).split(config["batch"]):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(net(x[at]), y[at], label_smoothing=0.05)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    net.eval()
    with torch.inference_mode():
        print(epoch, loss.item(), (net(x[1600:]).argmax(1) == y[1600:]).float().mean().item())
    net.train()
