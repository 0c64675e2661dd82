"""Adagrad: steps that shrink with the squares seen so far."""

from kael.creation import full_like, tensor
from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, one_number

__all__ = ["Adagrad"]


class Adagrad(Fused):
    """Adagrad, with the arguments, defaults and state of ``torch.optim.Adagrad``.

    For each element, with ``t`` the parameter's own step count, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay
        s = s + g * g                               # sum
        p = p - (lr / (1 + (t - 1) * lr_decay) * g) / (sqrt(s) + eps)

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    lr_decay, weight_decay : float
    initial_accumulator_value : float
        What ``sum`` starts with. The state is made at once, not at the first step.
    eps : float
    maximize : bool
    foreach, fused : bool, optional
        Accepted and ignored: there is one implementation.
    differentiable : bool
        True is refused with NotImplementedError.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.

    Notes
    -----
    Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic
    optimization", 2011.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "Adagrad"

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        check_not_negative("lr_decay value", lr_decay)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("initial_accumulator_value value", initial_accumulator_value)
        check_not_negative("epsilon value", eps)
        check_placeholders(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                first = group["initial_accumulator_value"]
                self.state[p] = {"step": tensor(0.0), "sum": full_like(p, first).detach()}
