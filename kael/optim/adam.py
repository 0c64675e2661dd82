"""Adam: adaptive moment estimation."""

from kael.optim.fused import Fused
from kael.optim.options import check_placeholders, moment_options

__all__ = ["Adam"]


class Adam(Fused):
    """Adam, with the arguments, defaults and state of ``torch.optim.Adam``.

    For each element, with ``t`` the parameter's own step count, and in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay, coupled
        p = p * (1 - lr * weight_decay)             # weight decay, decoupled
        m = beta1 * m + (1 - beta1) * g             # exp_avg
        v = beta2 * v + ((1 - beta2) * g) * g       # exp_avg_sq
        v = largest = max(largest, v)               # amsgrad: max_exp_avg_sq
        p = p - (lr / (1 - beta1**t) * m) / (sqrt(v * (1 / (1 - beta2**t))) + eps)

    With ``lr == 0`` the state advances and parameters keep their bits. ``eps == 0`` gives NaN
    where all gradients were zero, as in PyTorch.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
        Parameters that share memory are updated one after the other, in order.
    lr : float or Tensor of one element
    betas : pair of float
    eps : float
    weight_decay : float
    amsgrad, maximize, decoupled_weight_decay : bool
    foreach, fused, capturable : bool, optional
        Accepted and ignored: there is one implementation. ``foreach`` and ``fused`` together
        raise, as in PyTorch.
    differentiable : bool
        True is refused with NotImplementedError.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.

    Notes
    -----
    Kingma and Ba, "Adam: a method for stochastic optimization", 2014; ``amsgrad`` is by Reddi, Kale
    and Kumar, 2018.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "Adam"

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        lr, betas = moment_options(lr, betas, eps, weight_decay)
        check_placeholders(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
