"""RAdam: Adam with its variance rectified."""

from kael.optim.fused import Fused
from kael.optim.options import check_placeholders, moment_options

__all__ = ["RAdam"]


class RAdam(Fused):
    """RAdam, with the arguments, defaults and state of ``torch.optim.RAdam``.

    For each element, with ``t`` the parameter's own step count, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay, coupled
        p = p * (1 - lr * weight_decay)             # weight decay, decoupled
        m = beta1 * m + (1 - beta1) * g             # exp_avg
        v = beta2 * v + ((1 - beta2) * g) * g       # exp_avg_sq
        p = p - (size * r * sqrt(1 - beta2**t) * m) / (sqrt(v) + eps)   # rho(t) > 5
        p = p - size * m                                                # else

    where ``size = lr / (1 - beta1**t)``, ``rho(t) = limit - 2 * t * beta2**t / (1 - beta2**t)``,
    ``limit = 2 / (1 - beta2) - 1`` and ``r`` is the square root of
    ``(rho - 4) * (rho - 2) * limit / ((limit - 4) * (limit - 2) * rho)``.

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    betas : pair of float
    eps, weight_decay : float
    decoupled_weight_decay, maximize : bool
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
    Liu et al., "On the variance of the adaptive learning rate and beyond", 2019.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "RAdam"

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ):
        lr, betas = moment_options(lr, betas, eps, weight_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)
