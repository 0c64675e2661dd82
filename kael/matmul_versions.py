"""The matmul ladder: six rungs with the same bits, each one idea faster than the one before.

Every rung computes ``out += a @ b`` on contiguous 2-D tensors of one float dtype; a size of zero
leaves ``out`` untouched. ``v1_ijk`` is short enough to trust by reading and gives the bits that all
of kael's products have (R2 of docs/promise.md).

===================  =======================================  =================================
rung                 one more idea                            what it ends
===================  =======================================  =================================
:func:`v1_ijk`       the textbook's three loops               (the measure of the others)
:func:`v2_ikj`       inner loops swapped                      strided reads of ``b``
:func:`v3_tiled`     tiles of 64 x 256 x 2048, 4 rows of      ``b`` streamed once per row of
                     ``b`` at a time                          ``a``
:func:`v4_packed`    both operands packed, sums of 4 rows x   sums read and written every few
                     4 vectors in registers                   steps
:func:`v5_simd`      tiles as large as the registers allow;   too few sums for each load; a
                     strips of rows pack for themselves       pass that only packs ``b``
:func:`v6_threaded`  the strips shared among threads          one core at work
===================  =======================================  =================================

``matmul`` goes one of five ways, with v5's kernels on v6's threads; :func:`way` tells which:

==================  ============================================================================
:func:`direct`      nothing packed: ``b`` stays in cache and its rows are contiguous
:func:`stream`      nothing packed: few rows, so ``b`` is read once from end to end
``"turned"``        hardly any rows: a transposed ``b`` is turned on its way to the registers
:func:`panels`      v5's and v6's: strips that share nothing, each with a panel of ``b`` at a time
                    and, where they are many, its own packed rows of ``a``
:func:`packed`      v4's, on all threads: for a large ``b`` that is transposed, packed once
==================  ============================================================================

Examples
--------
>>> import kael
>>> a, b, out = kael.ones(2, 3), kael.ones(3, 2), kael.zeros(2, 2)
>>> kael.matmul_versions.v6_threaded(a, b, out)
>>> out.tolist()
[[3.0, 3.0], [3.0, 3.0]]
"""

import math

from kael._kernels import matmul as kernels
from kael._kernels.blas import blas, blas_available
from kael._kernels.tensor import require_tensor

__all__ = [
    "blas",
    "blas_available",
    "direct",
    "multiply",
    "multiply_exact",
    "packed",
    "panels",
    "stream",
    "v1_ijk",
    "v2_ikj",
    "v3_tiled",
    "v4_packed",
    "v5_simd",
    "v6_threaded",
    "way",
]

_WAYS = {number: name for name, number in kernels.WAYS.items()}
SMALL_PROBLEM = 32**3  # multiply-adds


def v1_ijk(a, b, out):
    """The textbook's loops: each output is one row of ``a`` times one column of ``b``.

    Parameters
    ----------
    a : Tensor, shape (rows, inner)
    b : Tensor, shape (inner, columns)
    out : Tensor, shape (rows, columns)
        The product is added to it. All three contiguous, float32 or float64.

    Raises
    ------
    TypeError
        If the dtypes differ or are not of floats.
    ValueError
        If the shapes do not fit, a tensor is not contiguous, or ``out`` shares memory with another.
    """
    kernels.rung("v1_ijk", a, b, out)


def v2_ikj(a, b, out):
    """The inner loops swapped, so that ``b`` is read along its rows.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("v2_ikj", a, b, out)


def v3_tiled(a, b, out):
    """v2 in tiles of 64 rows, 256 inner and 2048 columns: a tile of ``b`` serves many rows.

    Four rows of ``b`` meet a row of sums in one pass over it.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("v3_tiled", a, b, out)


def v4_packed(a, b, out):
    """Operands copied into the order in which a small kernel reads them, its sums in registers.

    A tile is 4 rows of 4 vectors (2 on AVX2, 4 x 4 elements in portable C).

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("v4_packed", a, b, out)


def v5_simd(a, b, out):
    """The largest tiles of the instruction set in use; strips of rows that pack for themselves.

    A panel of ``b`` is copied while its first tile reads it, and ``a`` only if that pays.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("v5_simd", a, b, out)


def v6_threaded(a, b, out):
    """v5 with its strips shared among the threads.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("v6_threaded", a, b, out)


def direct(a, b, out):
    """Nothing packed: both operands are read where they lie.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("direct", a, b, out)


def stream(a, b, out):
    """``b`` is read once, a few rows at a time; the sums of all columns wait in between.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("stream", a, b, out)


def panels(a, b, out):
    """Strips of rows that pack for themselves: a panel of ``b`` at a time, ``a`` if large.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("panels", a, b, out)


def packed(a, b, out):
    """An inner block of ``b`` packed for all threads, which take tiles of ``out`` in turns.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    kernels.rung("packed", a, b, out)


def way(a, b):
    """The name of the way that ``a @ b`` goes.

    Parameters
    ----------
    a : Tensor, shape (rows, inner)
    b : Tensor, shape (inner, columns)
        Strides count: a transposed operand may go another way.

    Returns
    -------
    str
        Of a function of this module, or ``"turned"``.

    Examples
    --------
    >>> import kael
    >>> kael.matmul_versions.way(kael.ones(8, 8), kael.ones(8, 8))
    'direct'
    """
    return _WAYS[kernels.way(a, b)]


def multiply_exact(a, b, out):
    """``out += a @ b`` for integers, exact modulo 2**w, by the same loops and threads.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, but of uint8, int32 or int64.
    """
    kernels.rung("multiply_exact", a, b, out)


def multiply(a, b, out):
    """``out += a @ b`` by BLAS where it was built in and takes the sizes, else v2 or v6.

    v2 is for small problems, where packing costs more than it saves.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised.
    """
    require_tensor("multiply", a, b, out)
    if blas_available() and max((*a.shape, *b.shape), default=0) < 2**31:
        blas(a, b, out)
    elif math.prod((*a.shape, *b.shape[1:])) <= SMALL_PROBLEM:
        v2_ikj(a, b, out)
    else:
        v6_threaded(a, b, out)
