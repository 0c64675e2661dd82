"""NAdam: Adam with Nesterov's momentum."""

from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, moment_options

__all__ = ["NAdam"]


class NAdam(Fused):
    """NAdam, with the arguments, defaults and state of ``torch.optim.NAdam``.

    For each element, with ``t`` the parameter's own step count, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay, coupled
        p = p * (1 - lr * weight_decay)             # weight decay, decoupled
        m = beta1 * m + (1 - beta1) * g             # exp_avg
        v = beta2 * v + ((1 - beta2) * g) * g       # exp_avg_sq
        root = sqrt(v * (1 / (1 - beta2**t))) + eps
        p = p - (lr * (1 - mu(t)) / (1 - mu_product) * g) / root
        p = p - (lr * mu(t + 1) / (1 - mu_product * mu(t + 1)) * m) / root

    where ``mu(t) = beta1 * (1 - 0.5 * 0.96**(t * momentum_decay))`` and ``mu_product``, kept in the
    state, is the product of all ``mu`` so far.

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    betas : pair of float
    eps, weight_decay, momentum_decay : float
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
    Dozat, "Incorporating Nesterov momentum into Adam", 2016.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.NAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "NAdam"

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ):
        lr, betas = moment_options(lr, betas, eps, weight_decay)
        check_not_negative("momentum_decay value", momentum_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)
