"""Prints every bit that a training leaves: losses, weights, gradients, optimizer states, modes, versions, random generators.

Seeds the generators of Python and numpy when it is imported.
"""

import hashlib
import random

import numpy as np
import torch

random.seed(0)
np.random.seed(0)


def digest(value):
    """A short name for the exact content of nested tensors and numbers."""
    sha = hashlib.sha256()

    def add(part):
        if isinstance(part, torch.Tensor):
            dense = part.detach().to_dense() if part.is_sparse else part.detach()
            sha.update(f"{part.dtype}{tuple(part.shape)}".encode())
            sha.update(dense.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if dense.numel() else b"")
        elif isinstance(part, dict):
            for key in part:
                sha.update(repr(key).encode())
                add(part[key])
        elif isinstance(part, (list, tuple)):
            for item in part:
                add(item)
        elif isinstance(part, float):
            sha.update(part.hex().encode())
        else:
            sha.update(repr(part).encode())

    add(value)
    return sha.hexdigest()[:24]


def report(losses, **parts):
    for i, loss in enumerate(losses):
        print(f"loss {i} {loss.hex()}")
    for name, part in parts.items():
        if hasattr(part, "state_dict"):
            print(name, "state", digest(part.state_dict()))
        else:
            print(name, "values", digest(part))
        if isinstance(part, torch.nn.Module):
            print(name, "gradients", digest([p.grad for p in part.parameters()]))
            print(name, "versions", [t._version for t in part.state_dict().values()])
            print(name, "modes", [m.training for m in part.modules()])
            print(name, "hooks", [len(m._forward_hooks) + len(m._backward_hooks) for m in part.modules()])
    print("torch generator", digest(torch.get_rng_state()))
    print("numpy generator", digest(torch.from_numpy(np.random.get_state()[1].astype(np.int64))), np.random.get_state()[2:])
    print("random", hashlib.sha256(repr(random.getstate()).encode()).hexdigest()[:24])
    print("modes", torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_dtype(), torch.is_autocast_enabled("cpu"))
