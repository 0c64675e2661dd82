"""Stochastic gradient descent."""

from kael.checks import flag, real
from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, one_number

__all__ = ["SGD"]


class SGD(Fused):
    """Gradient descent, optionally with momentum, as ``torch.optim.SGD``.

    For each element, in this order of roundings (scalars are computed in double and rounded once
    to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay
        b = g                                       # momentum_buffer, a parameter's first step
        b = momentum * b + (1 - dampening) * g      # later steps
        g = g + momentum * b                        # nesterov; else g = b
        p = p - lr * g

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
        Parameters that share memory are updated one after the other, in order.
    lr : float or Tensor of one element
    momentum, dampening, weight_decay : float
    nesterov, maximize : bool
    foreach, fused : bool, optional
        Accepted and ignored: there is one implementation. Both together raise, as in PyTorch.
    differentiable : bool
        True is refused with NotImplementedError.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range, or ``nesterov`` comes without momentum.

    Notes
    -----
    Momentum is by Polyak, 1964; ``nesterov`` follows Sutskever, Martens, Dahl and Hinton, "On the
    importance of initialization and momentum in deep learning", 2013.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.SGD([w], lr=0.1, momentum=0.9)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "SGD"

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        real("SGD", "dampening", dampening)
        if flag("SGD", "nesterov", nesterov) and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_placeholders(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
