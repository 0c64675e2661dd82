"""ASGD: gradient descent that also averages its parameters."""

from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, one_number

__all__ = ["ASGD"]


class ASGD(Fused):
    """Averaged gradient descent, with the arguments and state of ``torch.optim.ASGD``.

    For each element, with ``t`` the parameter's own step count, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay
        p = p * (1 - lambd * eta) - eta * g
        a = a + (p - a) * mu                        # ax, where mu is not 1
        a = p                                       # ax, before

    after which ``eta = lr / (1 + lambd * lr * t)**alpha`` and ``mu = 1 / max(1, t - t0)``, both
    kept in the state, are those of the next step; ``eta`` starts as ``lr``.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    lambd, alpha, t0, weight_decay : float
    maximize : bool
    foreach, capturable : bool, optional
        Accepted and ignored: there is one implementation.
    differentiable : bool
        True is refused with NotImplementedError.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.

    Notes
    -----
    Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.ASGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "ASGD"

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        check_not_negative("weight_decay value", weight_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)
