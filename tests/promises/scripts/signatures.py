"""What introspection says of functions that observers wrap."""

import inspect
import pickle
import re

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

FUNCTIONS = [
    F.cross_entropy,
    F.nll_loss,
    F.mse_loss,
    F.l1_loss,
    F.smooth_l1_loss,
    F.huber_loss,
    F.binary_cross_entropy,
    F.binary_cross_entropy_with_logits,
    F.kl_div,
    F.embedding,
    F.embedding_bag,
    torch.optim.SGD.step,
    torch.optim.Adam.step,
    torch.optim.LBFGS.step,
    torch.optim.Optimizer.zero_grad,
    torch.optim.Optimizer.__init__,
    torch.Tensor.backward,
    torch.Tensor.to,
    torch.Tensor.item,
    torch.Tensor.numpy,
    torch.Tensor.detach,
    torch.autograd.backward,
    torch.autograd.grad,
    nn.Module.__call__,
    nn.Module.zero_grad,
    nn.Module.load_state_dict,
    nn.Module.__setattr__,
    nn.Module.to,
    DataLoader.__init__,
    DataLoader.__iter__,
    torch.compile,
    torch.jit.script,
    torch.jit.trace,
    torch.tensor,
    torch.from_numpy,
    open,
]
for function in FUNCTIONS:
    try:
        signature = str(inspect.signature(function))
    except ValueError:
        signature = "none"
    signature = re.sub(r" at 0x[0-9a-f]+", "", signature)
    print(getattr(function, "__module__", None), function.__qualname__, signature, len(function.__doc__ or ""))
for function in FUNCTIONS[:11]:
    print(
        function.__name__,
        pickle.loads(pickle.dumps(function)) is function,
        inspect.getsourcefile(inspect.unwrap(function)).rpartition("/")[2],
    )
print(F.cross_entropy is nn.functional.cross_entropy, torch.nn.functional.mse_loss is F.mse_loss)
print(inspect.signature(nn.Linear(2, 2).__call__), inspect.signature(torch.optim.SGD))
print(torch.overrides.is_tensor_method_or_property(torch.Tensor.to), F.cross_entropy in torch.overrides.get_overridable_functions()[F])
print([c.__name__ for c in torch.optim.SGD.__mro__], [c.__name__ for c in nn.Linear.__mro__], type(DataLoader).__name__)
