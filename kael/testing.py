"""What tests of operations need: gradients by finite differences, and equality of bits."""

import numpy as np

from kael import autograd
from kael._kernels.creation import zeros
from kael._kernels.tensor import TensorBase
from kael.dtypes import float64

__all__ = ["GradcheckError", "assert_bits_equal", "gradcheck"]


class GradcheckError(RuntimeError):
    """A gradient that differs from its finite difference."""


def gradcheck(function, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """Compares the gradients of ``function`` with central differences.

    Parameters
    ----------
    function : callable
        Takes the inputs, returns a tensor or a tuple of tensors; must give the same values each
        time.
    inputs : Tensor or tuple
        Those that require grad must be float64; others are passed on as they are.
    eps : float
        Step to either side.
    atol, rtol : float
        ``|analytic - numeric| <= atol + rtol * |numeric|`` must hold for each derivative.
    raise_exception : bool
        Raise :class:`GradcheckError` instead of returning False.

    Returns
    -------
    bool

    Raises
    ------
    GradcheckError
        Shows the two Jacobians that differ.
    ValueError
        If no input requires grad, or one that does is not float64.

    Examples
    --------
    >>> x = kael.tensor([0.5, 2.0], dtype=kael.float64, requires_grad=True)
    >>> kael.testing.gradcheck(lambda x: x * x, x)
    True
    """
    inputs = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    checked = [x for x in inputs if isinstance(x, TensorBase) and x.requires_grad]
    if not checked:
        raise ValueError("gradcheck: no input requires grad")
    for x in checked:
        if x.dtype is not float64:
            raise ValueError(f"gradcheck: inputs must be float64, got {x.dtype.name}")
    analytic = _analytic(function, inputs, checked)
    for at, x in enumerate(checked):
        for number, numeric in enumerate(_numeric(function, inputs, x, eps)):
            found = analytic[number][at]
            if np.allclose(found, numeric, rtol, atol, equal_nan=True):
                continue
            if raise_exception:
                raise GradcheckError(
                    f"output {number}, input {at} of those that require grad: the Jacobian is\n"
                    f"{found}\nby the gradient and\n{numeric}\nby finite differences"
                )
            return False
    return True


def _outputs(function, inputs):
    out = function(*inputs)
    return [out] if isinstance(out, TensorBase) else [x for x in out if x.dtype.is_floating_point]


def _analytic(function, inputs, checked):
    """Jacobians ``[output][input][input element, output element]``, one walk per output element."""
    result = []
    for out in _outputs(function, inputs):
        columns = [np.zeros((x.numel(), out.numel())) for x in checked]
        for j in range(out.numel() if out.requires_grad else 0):
            seed = zeros((out.numel(),), out.dtype_code)
            seed[j] = 1
            found = autograd.grad(
                out, checked, seed.reshape(out.shape), retain_graph=True, allow_unused=True
            )
            for column, g in zip(columns, found, strict=True):
                if g is not None:
                    column[:, j] = g.numpy().ravel()
        result.append(columns)
    return result


def _numeric(function, inputs, x, eps):
    """The Jacobians of each output by x, from values on both sides of every element."""
    rows = []
    memory = x.detach().numpy()
    with autograd.no_grad():
        for index in np.ndindex(x.shape):
            kept = memory[index]
            sides = []
            for step in (eps, -eps):
                memory[index] = kept + step
                sides.append([y.numpy().astype("f8").ravel() for y in _outputs(function, inputs)])
            memory[index] = kept
            rows.append([(a - b) / (2 * eps) for a, b in zip(*sides, strict=True)])
        if not rows:
            return [np.zeros((0, y.numel())) for y in _outputs(function, inputs)]
    return [np.stack(row) for row in zip(*rows, strict=True)]


def assert_bits_equal(actual, expected):
    """Asserts that shape, dtype and every bit agree; NaN equals NaN.

    Parameters
    ----------
    actual, expected : Tensor or array

    Raises
    ------
    AssertionError
        Says how many elements differ, and the first of them.
    """
    actual, expected = (
        x.detach().numpy() if isinstance(x, TensorBase) else np.asarray(x)
        for x in (actual, expected)
    )
    assert actual.shape == expected.shape, f"shapes {actual.shape} and {expected.shape}"
    assert actual.dtype == expected.dtype, f"dtypes {actual.dtype} and {expected.dtype}"
    same = _bits(actual) == _bits(expected)
    if actual.dtype.kind == "f":
        same |= np.isnan(actual) & np.isnan(expected)
    if not same.all():
        first = tuple(int(i) for i in np.argwhere(~same)[0])
        raise AssertionError(
            f"{(~same).sum()} of {same.size} elements differ, first at {first}: "
            f"{actual[first]!r} and {expected[first]!r}"
        )


def _bits(array):
    packed = np.ascontiguousarray(array).reshape(array.shape)
    return packed.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "f" else packed
