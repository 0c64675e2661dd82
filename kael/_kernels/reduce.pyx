"""Reductions: which dims, what the result looks like, and the call into include/kael/reduce.h."""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from kael._kernels.elementwise cimport as_contiguous
from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, KL_DTYPE_f64, KL_DTYPE_i32, KL_DTYPE_i64, KL_MAX_DIMS, TensorBase,
    bytes_of, kl_aligned, kl_is_float, kl_itemsize, new_like, new_tensor, wrap_dim,
)

from kael.checks import flag


cdef extern from "kael/reduce.h" nogil:
    enum:
        KL_REDUCTION_sum
        KL_REDUCTION_mean
        KL_REDUCTION_norm2
        KL_REDUCTION_prod
        KL_REDUCTION_max
        KL_REDUCTION_min
        KL_REDUCTION_argmax
        KL_REDUCTION_argmin
        KL_REDUCTION_COUNT

    const char *const kl_reduction_names[KL_REDUCTION_COUNT]
    int kl_reduce(const kl_runtime *rt, int reduction, int dtype, const void *x, int ndim,
                  const int64_t *shape, const int64_t *strides, uint32_t mask, double divisor,
                  void *values, int values_dtype, int64_t *indices)


cdef extern from "kael/scatter.h" nogil:
    void kl_scatter(const void *g, const int64_t *indices, void *out, int64_t itemsize,
                    int64_t count, int64_t size, int64_t inner)


cdef extern from "kael/dot.h" nogil:
    ctypedef union kl_total:
        double f
        int64_t i

    int kl_dot(const kl_runtime *rt, int dtype, int64_t size, const void *x, int64_t x_stride,
               const void *y, int64_t y_stride, kl_total *total)


cdef tuple NAMES = tuple([name.decode() for name in kl_reduction_names])
REDUCTIONS = {name: number for number, name in enumerate(NAMES)}


cdef int64_t dims_mask(TensorBase x, object dim, str op) except -1:
    cdef int64_t mask = 0
    cdef int64_t d
    if dim is None:
        return (1 << x.ndim) - 1
    if not isinstance(dim, (tuple, list)):
        return (1 << wrap_dim(dim, x.ndim, op)) & ((1 << x.ndim) - 1)
    for item in dim:
        d = wrap_dim(item, x.ndim, op)
        if mask >> d & 1:
            raise ValueError(f"{op}: dim {d} appears twice in {tuple(dim)}")
        mask |= 1 << d
    return (mask if mask else -1) & ((1 << x.ndim) - 1)


cdef bint keeps_dims(str op, object keepdim) except -1:
    return keepdim if keepdim is False or keepdim is True else flag(op, "keepdim", keepdim)


cdef TensorBase new_result(TensorBase x, uint32_t mask, bint keepdim, int dtype):
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int d, ndim = 0
    for d in range(x.ndim):
        if mask >> d & 1:
            if not keepdim:
                continue
            shape[ndim] = 1
        else:
            shape[ndim] = x.shape_[d]
        ndim += 1
    return new_tensor(dtype, ndim, shape)


cdef int64_t reduced_size(TensorBase x, uint32_t mask):
    cdef int64_t size = 1
    cdef int d
    for d in range(x.ndim):
        if mask >> d & 1:
            size *= x.shape_[d]
    return size


cdef int run(str op, int reduction, TensorBase x, uint32_t mask, double correction,
             TensorBase values, TensorBase indices) except -1:
    if not kl_aligned(x.data, kl_itemsize(x.dtype)):
        x = as_contiguous(x)
    cdef const kl_runtime *rt = runtime()
    cdef int64_t size = reduced_size(x, mask)
    cdef void *value_data = NULL
    cdef int64_t *index_data = NULL
    cdef int value_dtype = 0
    cdef int status
    # 0 makes NaN: too few elements, or none.
    cdef double divisor = size - correction if size > correction and size > 0 else 0
    cdef TensorBase out = indices if values is None else values
    if size == 0 and out.size > 0 and reduction >= KL_REDUCTION_max:
        raise ValueError(f"{op}: no elements to choose from in shape {x.shape}")
    if values is not None:
        value_data = values.data
        value_dtype = values.dtype
    if indices is not None:
        index_data = <int64_t *> indices.data
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = kl_reduce(rt, reduction, x.dtype, x.data, x.ndim, x.shape_, x.strides_, mask,
                           divisor, value_data, value_dtype, index_data)
    if rt.begin is not NULL:
        end_op(&profiled, op, bytes_of(x) + bytes_of(values) + bytes_of(indices), x.size)
    return check(status, op)


cdef TensorBase reduce_op(str op, int reduction, TensorBase x, uint32_t mask, bint keepdim,
                          int dtype, double correction):
    cdef TensorBase out
    cdef bint floats = kl_is_float(x.dtype)
    if dtype < 0:
        dtype = x.dtype
        if not floats and (reduction == KL_REDUCTION_sum or reduction == KL_REDUCTION_prod):
            dtype = KL_DTYPE_i64
    if reduction >= KL_REDUCTION_argmax:
        out = new_result(x, mask, keepdim, KL_DTYPE_i64)
        run(op, reduction, x, mask, correction, None, out)
        return out
    out = new_result(x, mask, keepdim, dtype)
    run(op, reduction, x, mask, correction, out, None)
    return out


def reduce(int reduction, TensorBase x not None, dim=None, keepdim=False, int dtype=-1,
           double correction=0, str op=None):
    """Reduces ``dim`` of ``x`` by the operation numbered ``REDUCTIONS[name]``.

    Integer tensors know sum, prod (in int64) and the extremes. ``dtype`` is the code of the
    values' dtype, -1 for the operation's own; floats only go to floats. Errors are those of
    ``op``, the reduction itself unless given.
    """
    if not 0 <= reduction < KL_REDUCTION_COUNT:
        raise ValueError(f"reduce: unknown reduction {reduction}")
    if not kl_is_float(x.dtype) and KL_REDUCTION_mean <= reduction <= KL_REDUCTION_norm2:
        raise TypeError(f"{NAMES[reduction]}: takes floating-point tensors")
    op = NAMES[reduction] if op is None else op
    return reduce_op(op, reduction, x, dims_mask(x, dim, op), keeps_dims(op, keepdim), dtype,
                     correction)


def extreme(bint greatest, TensorBase x not None, dim, keepdim=False):
    """The greatest or least along one dim, and the first index where it stands: two tensors."""
    cdef str op = "max" if greatest else "min"
    cdef uint32_t mask = (1 << wrap_dim(dim, x.ndim, op)) & ((1 << x.ndim) - 1)
    cdef bint kept = keeps_dims(op, keepdim)
    cdef TensorBase values = new_result(x, mask, kept, x.dtype)
    cdef TensorBase indices = new_result(x, mask, kept, KL_DTYPE_i64)
    run(op, KL_REDUCTION_argmax if greatest else KL_REDUCTION_argmin, x, mask, 0, values, indices)
    return values, indices


def scatter(TensorBase g not None, TensorBase indices not None, TensorBase like not None, dim):
    """Zeros like ``like`` but for ``g`` at ``indices`` along ``dim``; g and indices contiguous."""
    cdef TensorBase out = new_like(like, like.dtype)
    cdef int along = wrap_dim(dim, like.ndim, "scatter")
    cdef int64_t inner = 1
    cdef int64_t size = like.shape_[along] if like.ndim > 0 else 1
    cdef int d
    for d in range(along + 1, like.ndim):
        inner *= like.shape_[d]
    if not (g.contiguous and indices.contiguous) or g.dtype != out.dtype or g.size != indices.size:
        raise ValueError("scatter: needs contiguous tensors of one size, and one dtype")
    with nogil:
        kl_scatter(g.data, <const int64_t *> indices.data, out.data, kl_itemsize(out.dtype),
                   g.size, size, inner)
    return out


def truth(bint every, TensorBase x not None, dim=None, keepdim=False):
    """Whether every element, or any, of a bool tensor is true."""
    cdef str op = "all" if every else "any"
    cdef uint32_t mask = dims_mask(x, dim, op)
    if x.dtype != KL_DTYPE_bool:
        raise TypeError(f"{op}: takes bool tensors")
    cdef TensorBase out = new_result(x, mask, keeps_dims(op, keepdim), KL_DTYPE_bool)
    if reduced_size(x, mask) == 0:
        memset(out.data, every, <size_t> out.size)
    else:
        run(op, KL_REDUCTION_min if every else KL_REDUCTION_max, x, mask, 0, out, None)
    return out


def kept_shape(TensorBase x not None, dim, str op="reduce"):
    """The shape of a reduction of ``dim`` with ``keepdim=True``."""
    cdef uint32_t mask = dims_mask(x, dim, op)
    cdef int d
    return tuple([1 if mask >> d & 1 else x.shape_[d] for d in range(x.ndim)])


def count_reduced(TensorBase x not None, dim, str op="reduce"):
    """How many elements meet in each output."""
    return reduced_size(x, dims_mask(x, dim, op))


cdef TensorBase dot(TensorBase a, TensorBase b):
    cdef const kl_runtime *rt = runtime()
    cdef TensorBase out = new_tensor(a.dtype, 0, NULL)
    cdef kl_total total
    cdef int status
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = kl_dot(rt, a.dtype, a.size, a.data, a.strides_[0], b.data, b.strides_[0], &total)
    if rt.begin is not NULL:
        end_op(&profiled, "dot", bytes_of(a) + bytes_of(b) + bytes_of(out), 2 * a.size)
    check(status, "dot")
    store_total(out, total)
    return out


cdef void store_total(TensorBase out, kl_total total) noexcept:
    """The total in the dtype of out; integers lose what exceeds their width."""
    if out.dtype == KL_DTYPE_f32:
        (<float *> out.data)[0] = <float> total.f
    elif out.dtype == KL_DTYPE_f64:
        (<double *> out.data)[0] = total.f
    elif out.dtype == KL_DTYPE_i64:
        (<int64_t *> out.data)[0] = total.i
    elif out.dtype == KL_DTYPE_i32:
        (<uint32_t *> out.data)[0] = <uint32_t> total.i
    else:
        (<uint8_t *> out.data)[0] = <uint8_t> total.i
