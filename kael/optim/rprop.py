"""Rprop: steps by the sign of the gradient."""

from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, one_number

__all__ = ["Rprop"]


class Rprop(Fused):
    """Resilient backpropagation, with the arguments and state of ``torch.optim.Rprop``.

    For each element, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        size = size * etas[1]                       # step_size, where g * prev > 0
        size = size * etas[0]                       # step_size, where g * prev < 0
        size = min(max(size, step_sizes[0]), step_sizes[1])
        g = 0                                       # where g * prev < 0
        p = p - sign(g) * size                      # sign(NaN) is 0
        prev = g

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
        What ``step_size`` starts with; later changes have no effect.
    etas : pair of float
        Factors of a step after a change of sign, and without one.
    step_sizes : pair of float
        The least and the largest step.
    maximize : bool
    foreach, capturable : bool, optional
        Accepted and ignored: there is one implementation.
    differentiable : bool
        True is refused with NotImplementedError.

    Raises
    ------
    ValueError
        If the rate is negative, or not ``0 < etas[0] < 1 < etas[1]``.

    Notes
    -----
    Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.Rprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "Rprop"

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)
