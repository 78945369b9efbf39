import torch, torch.nn as nn, torchvision as tv

torch.manual_seed(0)
torch.set_num_threads(1)
net = tv.models.resnet18(weights=None)
for p in net.parameters():
    p.requires_grad_(False)
net.fc = nn.Linear(512, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
sch = torch.optim.lr_scheduler.StepLR(opt, 1, 0.9)
X = torch.rand(48, 3, 32, 32)
y = torch.arange(48) % 3
for i in range(3):
    X[y == i, i] += 0.8
crit = nn.CrossEntropyLoss()
for ep in range(4):
    net.train()
    for ix in torch.randperm(48).split(16):
        opt.zero_grad()
        l = crit(net(X[ix]), y[ix])
        l.backward()
        opt.step()
    sch.step()
    net.eval()
    with torch.no_grad():
        print(ep, l.item(), (net(X).argmax(1) == y).float().mean().item())
for p in net.layer4.parameters():
    p.requires_grad_(True)
opt.add_param_group({"params": [], "lr": 0.005}) if False else None
for ep in range(2):
    net.train()
    for ix in torch.randperm(48).split(16):
        opt.zero_grad()
        l = crit(net(X[ix]), y[ix])
        l.backward()
        opt.step()
    print("ft", l.item())
