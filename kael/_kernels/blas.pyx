"""The optional CBLAS (KAEL_USE_BLAS=1), outside the promise of equal bits; see matmul/blas.h."""

from libc.stdint cimport int64_t

from kael._kernels.matmul cimport kl_rung, set_rung
from kael._kernels.tensor cimport TensorBase, kl_is_float

from kael.dtypes import by_code

cdef extern from "kael/matmul/blas.h" nogil:
    int KL_BLAS_AVAILABLE
    int64_t KL_BLAS_LARGEST
    void kl_matmul_blas(int dtype, const kl_rung *rung)


def blas_available():
    """Whether this build links a system CBLAS.

    Returns
    -------
    bool
    """
    return KL_BLAS_AVAILABLE != 0


def blas(TensorBase a not None, TensorBase b not None, TensorBase out not None):
    """``out += a @ b`` by the system's CBLAS, outside the promise of equal bits.

    Parameters
    ----------
    a, b, out
        As for :func:`v1_ijk`, which also says what is raised for them.

    Raises
    ------
    RuntimeError
        If kael was built without it.
    OverflowError
        If a size exceeds 2**31 - 1, which CBLAS does not take.
    """
    cdef kl_rung call
    cdef int dtype = a.dtype
    if not KL_BLAS_AVAILABLE:
        raise RuntimeError("kael was built without BLAS; configure with KAEL_USE_BLAS=1")
    if not kl_is_float(dtype):
        raise TypeError(f"blas: dtype must be float32 or float64, got {by_code(dtype).name}")
    set_rung(&call, "blas", a, b, out)
    if max(call.rows, call.inner, call.columns) > KL_BLAS_LARGEST:
        raise OverflowError("blas: sizes are limited to 2**31 - 1, got "
                            f"{tuple(a.shape)} @ {tuple(b.shape)}")
    with nogil:
        kl_matmul_blas(dtype, &call)
