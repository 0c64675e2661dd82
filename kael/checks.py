"""What an argument that is no tensor must be. A refusal names operation, argument and value."""

from kael._kernels.tensor import integer

__all__ = ["integer", "items", "real"]


def real(op, name, value):
    """``value`` itself; TypeError unless it is a number, or something of one element that is like
    one, as NumPy's scalars are."""
    if isinstance(value, (int, float)):
        return value
    if hasattr(type(value), "__float__") and set(getattr(value, "shape", ())) <= {1}:
        return value
    raise TypeError(f"{op}: {name} must be a number, got {value!r}")


def items(op, name, value):
    """The items of ``value``, a tuple; TypeError unless it can be walked."""
    try:
        walk = iter(value)
    except TypeError:
        raise TypeError(f"{op}: {name} must be a sequence, got {value!r}") from None
    return tuple(walk)
