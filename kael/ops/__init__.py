"""What each operation means: dims, promotion, and its gradient beside it."""

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
