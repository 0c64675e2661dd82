"""Lion: steps by the sign of an interpolated momentum."""

from kael.optim.fused import Fused
from kael.optim.options import as_betas, check_not_negative, check_placeholders, one_number

__all__ = ["Lion"]


class Lion(Fused):
    """Lion (Chen et al., Symbolic Discovery of Optimization Algorithms, 2023).

    For each element, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        p = p * (1 - lr * weight_decay)             # weight decay
        p = p - lr * sign(beta1 * m + (1 - beta1) * g)      # sign(NaN) is 0
        m = beta2 * m + (1 - beta2) * g             # exp_avg

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
        A third to a tenth of AdamW's, with a weight decay that much larger, as the paper advises.
    betas : pair of float
    weight_decay : float
    maximize : bool
    foreach, capturable : bool, optional
        Accepted and ignored: there is one implementation.
    differentiable : bool
        True is refused with NotImplementedError.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.Lion([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "Lion"

    def __init__(
        self,
        params,
        lr=1e-4,
        betas=(0.9, 0.99),
        weight_decay=0,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        betas = as_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)
