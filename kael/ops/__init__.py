"""What each operation means: dims, promotion, and its gradient beside it.

Every function here with a ``dim``, but for the losses, also takes ``axis`` for it, ``keepdims``
for ``keepdim`` and ``input`` for ``x``, as PyTorch's do; NumPy's function of its name calls it.
"""

from kael._kernels.names import named
from kael.ops import (
    clamp,
    comparison,
    conversion,
    dims,
    einsum,
    elementwise,
    extremes,
    indexing,
    losses,
    matmul,
    pieces,
    reduce,
    rows,
    selection,
    shape,
    vectors,
)

# The functions that kael exports.
__all__ = [
    *clamp.__all__,
    *comparison.__all__,
    *dims.__all__,
    *einsum.__all__,
    *elementwise.__all__,
    *extremes.__all__,
    *losses.__all__,
    *matmul.__all__,
    *pieces.__all__,
    *reduce.__all__,
    *rows.__all__,
    *selection.__all__,
    *shape.__all__,
    *vectors.__all__,
]

_ = conversion, indexing  # methods and operators of Tensor only


def _take_names(*modules):
    numpy_means = {"max": extremes.amax, "min": extremes.amin}  # no indices
    for module in modules:
        for name in module.__all__:
            function = getattr(module, name)
            if "dim" in function.__code__.co_varnames[: function.__code__.co_argcount]:
                setattr(module, name, named(function, numpy_means.get(name)))


_take_names(dims, extremes, pieces, reduce, rows, selection)
