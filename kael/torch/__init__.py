"""kael for programs of PyTorch: optimizers for its CPU tensors, in :mod:`kael.torch.optim`,
and gradient clipping, in :mod:`kael.torch.nn.utils`.

Needs PyTorch (``pip install kael[torch]``), which ``import kael`` never imports.
"""

try:
    import torch
except ImportError as error:  # pragma: no cover
    raise ImportError("kael.torch needs PyTorch: pip install 'kael[torch]'") from error

from kael.torch import nn, optim

__all__ = ["nn", "optim"]
del torch
