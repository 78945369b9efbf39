"""User hooks of every kind: how often, in which order, with which arguments, and what stands in torch's tables."""

import sys

import torch
import torch.nn.modules.module as module_tables
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

torch.manual_seed(0)
log = []
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model.register_forward_pre_hook(lambda m, args: log.append(("pre", type(m).__name__, len(args))))
model.register_forward_hook(lambda m, args, out: log.append(("post", tuple(out.shape), out.grad_fn.name())))
model[0].register_full_backward_hook(lambda m, grad_in, grad_out: log.append(("backward", [g is None or tuple(g.shape) for g in grad_in])))
model[2].weight.register_hook(lambda grad: log.append(("grad", tuple(grad.shape))))
model[2].weight.register_post_accumulate_grad_hook(lambda p: log.append(("accumulated", tuple(p.grad.shape))))
optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append(("step pre", len(args), sorted(kwargs))))
optimizer.register_step_post_hook(lambda o, args, kwargs: log.append(("step post", len(args), sorted(kwargs))))
everywhere = register_optimizer_step_pre_hook(lambda o, args, kwargs: log.append(("global step", type(o).__name__)))
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

for _ in range(4):
    x, y = torch.randn(6, 4, requires_grad=True), torch.randint(0, 2, (6,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.register_hook(lambda grad: log.append(("loss", grad.item())))
    node, names = loss.grad_fn, []
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    log.append(names)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(("pack", tuple(t.shape))), t)[1], lambda t: t):
        (x * x).sum().backward()
    loss.backward()
    optimizer.step()
    scheduler.step()
    log.append((x._version, loss._version, [p._version for p in model.parameters()], scheduler.get_last_lr()))
    log.append((sys.gettrace(), sys.getprofile(), torch.is_grad_enabled()))

for line in log:
    print(line)
print([name for name, table in sorted(vars(module_tables).items()) if name.startswith("_global") and table])
print(len(optimizer._optimizer_step_pre_hooks), len(optimizer._optimizer_step_post_hooks))
print(sorted(vars(optimizer)), sorted(vars(model)), sorted(vars(model[0])))
print(sorted(vars(loss)), [sorted(vars(p)) for p in model.parameters()])
everywhere.remove()
