"""Adadelta: steps in the units of the parameter."""

from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, one_number

__all__ = ["Adadelta"]


class Adadelta(Fused):
    """Adadelta, with the arguments, defaults and state of ``torch.optim.Adadelta``.

    For each element, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay
        v = rho * v + ((1 - rho) * g) * g           # square_avg
        d = (sqrt(a + eps) / sqrt(v + eps)) * g
        a = rho * a + ((1 - rho) * d) * d           # acc_delta
        p = p - lr * d

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    rho : float
        In [0, 1].
    eps, weight_decay : float
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
    Zeiler, "Adadelta: an adaptive learning rate method", 2012.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.Adadelta([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "Adadelta"

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("epsilon value", eps)
        check_not_negative("weight_decay value", weight_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)
