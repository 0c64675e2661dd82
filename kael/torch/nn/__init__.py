"""What of ``torch.nn`` has a kernel of kael's: :mod:`kael.torch.nn.utils`."""

from kael.torch.nn import utils

__all__ = ["utils"]
