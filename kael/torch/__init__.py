"""kael for programs of PyTorch: optimizers for its CPU tensors, in :mod:`kael.torch.optim`.

Needs PyTorch (``pip install kael[torch]``), which ``import kael`` never imports.
"""

try:
    import torch
except ImportError as error:  # pragma: no cover
    raise ImportError("kael.torch needs PyTorch: pip install 'kael[torch]'") from error

from kael.torch import optim

__all__ = ["optim"]
del torch
