"""Muon: momentum made orthogonal by Newton and Schulz's iteration."""

import math

from kael.creation import zeros
from kael.optim.composed import Composed
from kael.optim.options import one_number

__all__ = ["Muon"]

SIZES = {
    None: lambda rows, columns: math.sqrt(max(1, rows / columns)),
    "original": lambda rows, columns: math.sqrt(max(1, rows / columns)),
    "match_rms_adamw": lambda rows, columns: 0.2 * math.sqrt(max(rows, columns)),
}


class Muon(Composed):
    """Muon for matrices, with the arguments, defaults and state of ``torch.optim.Muon``.

    For each parameter::

        b = b * momentum + g * (1 - momentum)               # momentum_buffer
        u = g * (1 - momentum) + b * momentum               # nesterov; else u = b
        u = u.T, if it has more rows than columns
        u = u / max(norm(u), eps)
        repeated ns_steps times, with x, y, z = ns_coefficients:
            s = u @ u.T
            u = u * x + (s * y + (s @ s) * z) @ u
        p = p * (1 - lr * weight_decay) - lr * size * u     # u turned back

    where ``size`` is ``sqrt(max(1, rows / columns))``, or with ``adjust_lr_fn="match_rms_adamw"``
    ``0.2 * sqrt(max(rows, columns))``. The iteration is in the parameter's dtype; PyTorch's is in
    bfloat16, so that the two agree to three digits.

    Parameters
    ----------
    params : iterable
        Tensors of two dims, (name, tensor) pairs or dicts of groups; float32 or float64.
    lr : float or Tensor of one element
    weight_decay, momentum : float
    nesterov : bool
    ns_coefficients : three floats
    eps : float
    ns_steps : int
        Less than 100.
    adjust_lr_fn : "original" or "match_rms_adamw", optional

    Raises
    ------
    ValueError
        If an option is out of its range, or a parameter does not have 2 dims.

    Notes
    -----
    Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024.

    Examples
    --------
    >>> w = kael.eye(3).requires_grad_()
    >>> optimizer = kael.optim.Muon([w], lr=0.02)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        weight_decay=0.1,
        momentum=0.95,
        nesterov=True,
        ns_coefficients=(3.4445, -4.7750, 2.0315),
        eps=1e-7,
        ns_steps=5,
        adjust_lr_fn=None,
    ):
        lr = one_number(lr, "lr")
        if not float(lr) >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in SIZES:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)

    def _check_parameter(self, p):
        super()._check_parameter(p)
        if p.dim() != 2:
            raise ValueError(
                "Muon only supports 2D parameters whereas we found a parameter with size: "
                f"{p.shape}"
            )

    def _initial(self, group, p):
        check(group)
        return {"momentum_buffer": zeros(p.shape, dtype=p.dtype)}

    def _update(self, group, p, g, state):
        update(group, p, g, state)


def check(group):
    """Refuses what the iteration cannot take."""
    if group["ns_steps"] >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(group["ns_coefficients"]) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")


def update(group, p, g, state):
    """One step of one parameter, in place."""
    momentum, lr = group["momentum"], float(group["lr"])
    if p.numel() == 0:
        return
    buffer = state["momentum_buffer"].mul_(momentum).add_(g * (1 - momentum))
    move = g * (1 - momentum) + buffer * momentum if group["nesterov"] else buffer
    move = orthogonal(move, group["ns_coefficients"], group["ns_steps"], group["eps"])
    size = SIZES[group["adjust_lr_fn"]](*p.shape)
    if lr != 0:
        p.mul_(1 - lr * group["weight_decay"]).sub_(move * (lr * size))


def orthogonal(x, coefficients, steps, eps):
    """A matrix with the singular vectors of x and singular values near 1."""
    tall = x.shape[0] > x.shape[1]
    x = x.t() if tall else x
    a, b, c = coefficients
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        square = x @ x.t()
        x = x * a + (square * b + (square @ square) * c) @ x
    return x.t() if tall else x
