"""Adamax: Adam by the largest gradient."""

from kael.optim.fused import Fused
from kael.optim.options import check_placeholders, moment_options

__all__ = ["Adamax"]


class Adamax(Fused):
    """Adamax, with the arguments, defaults and state of ``torch.optim.Adamax``.

    For each element, with ``t`` the parameter's own step count, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay
        m = beta1 * m + (1 - beta1) * g             # exp_avg
        u = max(beta2 * u, abs(g) + eps)            # exp_inf; NaN wins
        p = p - (lr / (1 - beta1**t) * m) / u

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    betas : pair of float
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
    Kingma and Ba, "Adam: a method for stochastic optimization", section 7.1, 2014.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "Adamax"

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        lr, betas = moment_options(lr, betas, eps, weight_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)
