import torch, torch.nn as nn

torch.manual_seed(0)
dev = "cuda" if torch.cuda.is_available() else "cpu"
m = nn.Sequential(nn.Conv2d(1, 8, 3, 2), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 4)).to(dev)
opt = torch.optim.SGD(m.parameters(), 0.05, 0.9, nesterov=True)
sc = torch.amp.GradScaler(dev, enabled=dev == "cuda")
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40)
X = torch.randn(320, 1, 16, 16)
y = torch.arange(320) % 4
X[torch.arange(320), 0, y * 3] += 1.5
for ep in range(4):
    for ix in torch.randperm(320).split(32):
        with torch.autocast(dev, torch.bfloat16):
            l = nn.functional.cross_entropy(m(X[ix].to(dev)), y[ix].to(dev))
        sc.scale(l).backward()
        sc.unscale_(opt)
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        sc.step(opt)
        sc.update()
        opt.zero_grad()
        sch.step()
    print(l.item())
