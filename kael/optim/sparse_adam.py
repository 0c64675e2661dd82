"""SparseAdam: a name that PyTorch has and kael refuses."""

from kael.optim.optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Refused: kael has no sparse gradients.

    Parameters
    ----------
    params, lr, betas, eps, maximize
        Those of ``torch.optim.SparseAdam``.

    Raises
    ------
    NotImplementedError
        Always. :class:`~kael.optim.Adam` updates an embedding's dense gradient.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        raise NotImplementedError(
            "SparseAdam: kael has no sparse gradients; use kael.optim.Adam, which takes the dense "
            "gradient of an embedding"
        )
