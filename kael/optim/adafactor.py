"""Adafactor: adaptive steps from row and column sums of squares."""

import math

from kael.creation import tensor, zeros
from kael.dtypes import float64, resolution
from kael.optim.composed import Composed
from kael.optim.options import one_number

__all__ = ["Adafactor"]


class Adafactor(Composed):
    """Adafactor, with the arguments, defaults and state of ``torch.optim.Adafactor``.

    For each parameter, with ``t`` its own step count and ``w = t**beta2_decay``; means are over the
    last dim for rows, over the one before for columns, and norms and means are one fold in double::

        g = -g                                                      # maximize
        alpha = max(eps[1], norm(p) / sqrt(n)) * min(lr, 1 / sqrt(t))
        p = p * (1 - lr * weight_decay)
        row_var = row_var * (1 - w) + mean(g**2, rows) * w          # 2 or more dims
        col_var = col_var * (1 - w) + mean(g**2, columns) * w
        v = (row_var @ col_var) / max(mean(row_var), eps[0])
        v = variance = variance * (1 - w) + g**2 * w                # fewer dims
        u = g / sqrt(max(v, eps[0]**2))
        p = p - alpha / max(1, norm(u) / (sqrt(n) * d)) * u

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups; float32 or float64, any strides.
    lr : float or Tensor of one element
        The largest step relative to the parameter.
    beta2_decay : float
        Not positive.
    eps : pair of float
        The first may be None: the resolution of the parameter's dtype.
    d : float
        Above this root mean square an update is shrunk.
    weight_decay : float
    foreach : bool, optional
        Accepted and ignored: there is one implementation.
    maximize : bool

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.

    Notes
    -----
    Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018.

    Examples
    --------
    >>> w = kael.ones(3, 2, requires_grad=True)
    >>> optimizer = kael.optim.Adafactor([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ):
        lr = one_number(lr, "lr")
        if not float(lr) >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        for i, value in enumerate(eps):
            if not (value is None and i == 0) and not value >= 0.0:
                raise ValueError(f"epsilon{i + 1} should be >= 0 but is: {value}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _initial(self, group, p):
        if p.dim() < 2:
            return {"step": tensor(0.0), "variance": zeros(p.shape, dtype=p.dtype)}
        *batch, rows, columns = p.shape
        return {
            "step": tensor(0.0),
            "row_var": zeros(*batch, rows, 1, dtype=p.dtype),
            "col_var": zeros(*batch, 1, columns, dtype=p.dtype),
        }

    def _update(self, group, p, g, state):
        update(group, p, g, state)


def update(group, p, g, state):
    """One step of one parameter, in place."""
    step = state["step"].add_(1).item()
    if p.numel() == 0:
        return
    lr, root = float(group["lr"]), math.sqrt(p.numel())
    least, least_size = group["eps"]
    least = resolution(p.dtype) if least is None else least
    alpha = max(least_size, p.norm().item() / root) * min(lr, 1 / math.sqrt(step))
    if group["weight_decay"] != 0:
        p.mul_(1 - lr * group["weight_decay"])
    g = -g if group["maximize"] else g
    variance = moment(g, state, real_power(step, group["beta2_decay"]), least)
    move = variance.clamp(min=least * least).rsqrt() * g
    shrink = max(1.0, move.norm().item() / (root * group["d"]))
    if lr != 0:
        p.sub_(move * (alpha / shrink))


def moment(g, state, weight, least):
    """The estimated second moment of the gradient, after this one."""
    if g.dim() < 2:
        return mix_(state["variance"], g * g, weight)
    rows = mix_(state["row_var"], mean_square(g, -1), weight)
    columns = mix_(state["col_var"], mean_square(g, -2), weight)
    return (rows @ columns) / rows.mean(-2, keepdim=True).clamp(min=least)


def real_power(base, exponent):
    """base ** exponent by kael's own pow: libm's differ between machines."""
    return tensor(base, dtype=float64).pow(exponent).item()


def mean_square(x, dim):
    return x.norm(2, dim, keepdim=True).square() / x.shape[dim]


def mix_(old, new, weight):
    """old = old * (1 - weight) + new * weight, in place."""
    return old.mul_(1 - weight).add_(new * weight)
