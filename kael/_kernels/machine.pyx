"""The rates that this machine allows: include/kael/machine.h. kael.lab takes the times."""

from libc.stdint cimport INT64_MAX, int64_t

from kael._kernels.runtime cimport check, kl_runtime, runtime
from kael._kernels.tensor cimport KL_DTYPE_f32, KL_DTYPE_f64, TensorBase, begin_write, kl_is_float


cdef extern from "kael/machine.h" nogil:
    struct kl_machine_stream:
        void *p
        void *a
        void *b
        const void *g
        int64_t count

    int kl_machine_fma(const kl_runtime *rt, int dtype, int64_t steps, bint many,
                       double *operations)
    int kl_machine_walk(const kl_runtime *rt, int dtype, const kl_machine_stream *stream)


def fma(bint double_precision, int64_t steps, bint many):
    """Runs chains of multiply-adds on every thread, ``steps`` long.

    Parameters
    ----------
    many : bool
        24 chains a thread; else 12.

    Returns
    -------
    float
        The floating-point operations done; a multiply-add is two.
    """
    cdef const kl_runtime *rt = runtime()
    cdef double operations = 0
    cdef int status
    if not 0 < steps < INT64_MAX // 4:
        raise ValueError(f"fma: steps must be positive, got {steps}")
    with nogil:
        status = kl_machine_fma(rt, KL_DTYPE_f64 if double_precision else KL_DTYPE_f32, steps,
                                many, &operations)
    check(status, "fma")
    return operations


def stream(TensorBase g not None, TensorBase p=None, TensorBase a=None, TensorBase b=None):
    """Walks along arrays as a step of an optimizer does, with hardly any arithmetic.

    Reads ``g``; reads and writes ``p``, and as many of the states ``a`` and ``b`` as there are.
    All are contiguous, of one shape and one float dtype.

    Returns
    -------
    int
        The bytes read and written.
    """
    cdef const kl_runtime *rt = runtime()
    cdef kl_machine_stream walk
    cdef TensorBase other
    cdef int status
    if (p is None and a is not None) or (a is None and b is not None):
        raise ValueError("stream: p comes before a, and a before b")
    written = [other for other in (p, a, b) if other is not None]
    for other in [g, *written]:
        if not (kl_is_float(g.dtype) and other.dtype == g.dtype and other.contiguous
                and other.size == g.size):
            raise ValueError("stream: takes contiguous tensors of one size and one float dtype")
    for other in written:
        begin_write(other, "stream")
    walk.g, walk.count = g.data, g.size
    walk.p = NULL if p is None else p.data
    walk.a = NULL if a is None else a.data
    walk.b = NULL if b is None else b.data
    with nogil:
        status = kl_machine_walk(rt, g.dtype, &walk)
    check(status, "stream")
    return g.size * (4 if g.dtype == KL_DTYPE_f32 else 8) * (1 + 2 * len(written))
