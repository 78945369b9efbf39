import torch, torch.nn as nn, torchvision as tv

torch.manual_seed(0)
torch.set_num_threads(1)
vgg = tv.models.vgg11(weights=None).features[:8].eval()
content = torch.rand(1, 3, 48, 48)
style = torch.rand(1, 3, 48, 48)


def gram(f):
    b, c, h, w = f.shape
    f = f.view(c, -1)
    return f @ f.t() / (c * h * w)


with torch.no_grad():
    tc = vgg(content)
    ts = gram(vgg(style))
img = torch.rand(1, 3, 48, 48, requires_grad=True)
opt = torch.optim.Adam([img], 0.05)
for i in range(25):
    opt.zero_grad()
    f = vgg(img)
    l = nn.functional.mse_loss(f, tc) + 1e3 * nn.functional.mse_loss(gram(f), ts)
    l.backward()
    opt.step()
print(l.item())
