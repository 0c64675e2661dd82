"""What each operation means: dims, promotion, and its gradient beside it."""

from kael.ops import (
    comparison,
    conversion,
    einsum,
    elementwise,
    indexing,
    matmul,
    reduce,
    rows,
    shape,
)

# The functions that kael exports.
__all__ = [
    *comparison.__all__,
    *einsum.__all__,
    *elementwise.__all__,
    *indexing.__all__,
    *matmul.__all__,
    *reduce.__all__,
    *rows.__all__,
    *shape.__all__,
]

_ = conversion  # methods of Tensor only
