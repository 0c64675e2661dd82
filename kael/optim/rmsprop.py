"""RMSprop: steps divided by a moving root mean square."""

from kael.optim.fused import Fused
from kael.optim.options import check_not_negative, check_placeholders, one_number

__all__ = ["RMSprop"]


class RMSprop(Fused):
    """RMSprop, with the arguments, defaults and state of ``torch.optim.RMSprop``.

    For each element, in this order of roundings
    (scalars are computed in double and rounded once to the parameter's dtype)::

        g = -g                                      # maximize
        g = g + weight_decay * p                    # weight decay
        v = alpha * v + ((1 - alpha) * g) * g       # square_avg
        a = alpha * a + (1 - alpha) * g             # centered: grad_avg
        root = sqrt(v) + eps                        # centered: sqrt(v - a * a) + eps
        b = momentum * b + g / root                 # momentum: momentum_buffer
        p = p - lr * b                              # momentum
        p = p - (lr * g) / root                     # without momentum

    With ``lr == 0`` the state advances and parameters keep their bits.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
    alpha, eps, weight_decay, momentum : float
    centered, maximize : bool
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
    Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012; ``centered``
    is by Graves, "Generating sequences with recurrent neural networks", 2013.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.RMSprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    _rule = "RMSprop"

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        check_not_negative("epsilon value", eps)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("alpha value", alpha)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)
