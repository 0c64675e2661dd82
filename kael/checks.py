"""What an argument that is no tensor must be. A refusal names operation, argument and value."""

from kael._kernels.tensor import integer

__all__ = ["flag", "integer", "items", "real", "size"]


def flag(op, name, value):
    """``value`` as a bool; TypeError unless it is one: NumPy's are, and 0 and 1. No tensor is, for
    its elements say nothing of what was meant."""
    if isinstance(value, int) and value in (0, 1):
        return value != 0
    if getattr(value, "dtype", None) == "bool" and value.shape == ():
        return value.item()
    raise TypeError(f"{op}: {name} must be a bool, got {value!r}")


def real(op, name, value):
    """``value`` itself; TypeError unless it is a number, or something of one element that is like
    one, as NumPy's scalars are."""
    if isinstance(value, (int, float)):
        return value
    if hasattr(type(value), "__float__") and set(getattr(value, "shape", ())) <= {1}:
        return value
    raise TypeError(f"{op}: {name} must be a number, got {value!r}")


def size(op, name, value):
    """``value`` as an int; TypeError unless it is one, ValueError if it is negative."""
    value = integer(op, name, value)
    if value < 0:
        raise ValueError(f"{op}: {name} must not be negative, got {value}")
    return value


def items(op, name, value):
    """The items of ``value``, a tuple; TypeError unless it can be walked."""
    try:
        walk = iter(value)
    except TypeError:
        raise TypeError(f"{op}: {name} must be a sequence, got {value!r}") from None
    return tuple(walk)
