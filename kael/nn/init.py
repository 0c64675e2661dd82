"""Initial values of parameters, in place and outside of any graph, as ``torch.nn.init``."""

import math

from kael import random_fill
from kael._kernels.tensor import require_tensor
from kael.autograd import no_grad
from kael.checks import real

__all__ = [
    "calculate_gain", "constant_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
    "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip


@no_grad
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fills with uniform values.

    Parameters
    ----------
    tensor : Tensor
    a, b : float
        In [a, b).
    generator : Generator, optional

    Returns
    -------
    Tensor
        ``tensor``.
    """
    return random_fill.uniform_(tensor, a, b, generator=generator)


@no_grad
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fills with normal values.

    Parameters
    ----------
    tensor : Tensor
    mean, std : float
        ValueError for a negative ``std``.
    generator : Generator, optional

    Returns
    -------
    Tensor
        ``tensor``.
    """
    return random_fill.normal_(tensor, mean, std, generator=generator)


@no_grad
def constant_(tensor, val):
    """Fills with one number.

    Parameters
    ----------
    tensor : Tensor
    val : float

    Returns
    -------
    Tensor
        ``tensor``.
    """
    require_tensor("constant_", tensor)
    return tensor.fill_(real("constant_", "val", val))


def ones_(tensor):
    """Fills with ones.

    Parameters
    ----------
    tensor : Tensor

    Returns
    -------
    Tensor
        ``tensor``.
    """
    require_tensor("ones_", tensor)
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Fills with zeros.

    Parameters
    ----------
    tensor : Tensor

    Returns
    -------
    Tensor
        ``tensor``.
    """
    require_tensor("zeros_", tensor)
    return constant_(tensor, 0.0)


def calculate_gain(nonlinearity, param=None):
    """The factor that keeps variances the same through a nonlinearity.

    Parameters
    ----------
    nonlinearity : str
        ``"linear"``, ``"sigmoid"``, ``"tanh"``, ``"relu"``, ``"leaky_relu"`` or ``"selu"``.
    param : float, optional
        The slope of ``"leaky_relu"``, 0.01 unless given.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        For another nonlinearity.
    """
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
    if isinstance(nonlinearity, str) and nonlinearity in gains:
        return gains[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else real("calculate_gain", "param", param)
        return math.sqrt(2.0 / (1 + slope * slope))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def fans(op, tensor):
    """Inputs and outputs of each unit of a weight (outputs, inputs, ...)."""
    require_tensor(op, tensor)
    if tensor.ndim < 2:
        raise ValueError(
            f"{op}: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _kaiming_std(op, tensor, a, mode, nonlinearity):
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(
            f"{op}: Mode {mode} not supported, please use one of ['fan_in', 'fan_out']"
        )
    fan = fans(op, tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, real(op, "a", a)) / math.sqrt(fan) if fan else 0.0


@no_grad
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fills with uniform values of standard deviation gain / sqrt(fan).

    Parameters
    ----------
    tensor : Tensor, shape (outputs, inputs, ...)
        ValueError for fewer than 2 dims.
    a : float
        The slope of ``"leaky_relu"``.
    mode : "fan_in" or "fan_out"
        Which fan; ValueError for anything else.
    nonlinearity : str
        Of :func:`calculate_gain`.
    generator : Generator, optional

    Returns
    -------
    Tensor
        ``tensor``.

    Notes
    -----
    He, Zhang, Ren and Sun, "Delving deep into rectifiers", 2015.
    """
    bound = math.sqrt(3.0) * _kaiming_std("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return random_fill.fill_uniform("kaiming_uniform_", tensor, -bound, bound, generator)


@no_grad
def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fills with normal values of standard deviation gain / sqrt(fan).

    Parameters
    ----------
    tensor, a, mode, nonlinearity, generator
        As for :func:`kaiming_uniform_`, which also says what is raised.

    Returns
    -------
    Tensor
        ``tensor``.
    """
    std = _kaiming_std("kaiming_normal_", tensor, a, mode, nonlinearity)
    return random_fill.fill_normal("kaiming_normal_", tensor, 0.0, std, generator)


def _xavier_std(op, tensor, gain):
    fan = sum(fans(op, tensor))
    return real(op, "gain", gain) * math.sqrt(2.0 / fan) if fan else 0.0


@no_grad
def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fills with uniform values of variance gain**2 * 2 / (fan_in + fan_out).

    Parameters
    ----------
    tensor : Tensor, shape (outputs, inputs, ...)
        ValueError for fewer than 2 dims.
    gain : float
    generator : Generator, optional

    Returns
    -------
    Tensor
        ``tensor``.

    Notes
    -----
    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010.
    """
    bound = math.sqrt(3.0) * _xavier_std("xavier_uniform_", tensor, gain)
    return random_fill.fill_uniform("xavier_uniform_", tensor, -bound, bound, generator)


@no_grad
def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fills with normal values of variance gain**2 * 2 / (fan_in + fan_out).

    Parameters
    ----------
    tensor, gain, generator
        As for :func:`xavier_uniform_`, which also says what is raised.

    Returns
    -------
    Tensor
        ``tensor``.
    """
    std = _xavier_std("xavier_normal_", tensor, gain)
    return random_fill.fill_normal("xavier_normal_", tensor, 0.0, std, generator)
