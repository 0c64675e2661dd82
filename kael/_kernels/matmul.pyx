"""Matrix products: what memory each call touches; arithmetic in include/kael/matmul.h."""

from libc.stdint cimport int64_t

from kael._kernels.runtime cimport check, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_MAX_DIMS, TensorBase, begin_write, kl_is_float, kl_itemsize, new_tensor,
)

from kael.dtypes import by_code

cdef extern from "kael/matmul.h" nogil:
    struct kl_matrix:
        const char *data
        int64_t row
        int64_t column

    struct kl_product:
        int64_t rows
        int64_t inner
        int64_t columns
        kl_matrix a
        kl_matrix b
        char *out
        int64_t out_row
        const char *bias
        bint fresh

    struct kl_batch:
        const kl_runtime *rt
        int dtype
        kl_product first
        int dims
        int64_t *shape
        int64_t *a
        int64_t *b
        int64_t *out

    struct kl_rung:
        const void *a
        const void *b
        void *out
        int64_t rows
        int64_t inner
        int64_t columns

    int kl_matmul(const kl_runtime *rt, int dtype, const kl_product *product)
    int kl_matmul_batched(kl_batch *batch)
    int kl_matmul_rung(const kl_runtime *rt, int dtype, int name, kl_rung *rung)


cdef str shapes_of(TensorBase a, TensorBase b):
    return f"{tuple(a.shape)} @ {tuple(b.shape)}"


cdef int check_operands(TensorBase a, TensorBase b) except -1:
    """Same dtype, not bool, at least 1-D, inner sizes that agree."""
    if a.dtype != b.dtype:
        raise TypeError(
            f"matmul: dtypes differ: {by_code(a.dtype).name} @ {by_code(b.dtype).name}"
        )
    if a.dtype == KL_DTYPE_bool:
        raise TypeError("matmul: not defined for bool")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"matmul: operands need at least 1 dim: {shapes_of(a, b)}")
    if a.shape_[a.ndim - 1] != b.shape_[b.ndim - 2 if b.ndim > 1 else 0]:
        raise ValueError(f"matmul: inner sizes differ: {shapes_of(a, b)}")
    return 0


cdef int set_matrix(kl_matrix *matrix, TensorBase x, bint vector_is_row) noexcept:
    """The last two dims of x; a vector becomes a single row or a single column."""
    cdef int64_t size = kl_itemsize(x.dtype)
    cdef int64_t last = x.strides_[x.ndim - 1] * size
    matrix.data = x.data
    if x.ndim > 1:
        matrix.row = x.strides_[x.ndim - 2] * size
        matrix.column = last
    elif vector_is_row:
        matrix.row = 0
        matrix.column = last
    else:
        matrix.row = last
        matrix.column = size
    return 0


cdef int set_batch(kl_batch *batch, TensorBase a, TensorBase b) except -1:
    """Batch dims of a @ b, broadcast: sizes and the operands' byte strides."""
    cdef int64_t size = kl_itemsize(a.dtype)
    cdef int a_dims = max(a.ndim - 2, 0)
    cdef int b_dims = max(b.ndim - 2, 0)
    cdef int d, i, j
    cdef int64_t m, n
    batch.dims = max(a_dims, b_dims)
    for d in range(batch.dims):
        i = d - (batch.dims - a_dims)
        j = d - (batch.dims - b_dims)
        m = a.shape_[i] if i >= 0 else 1
        n = b.shape_[j] if j >= 0 else 1
        if m != n and m != 1 and n != 1:
            raise ValueError(f"matmul: batch sizes do not broadcast: {shapes_of(a, b)}")
        batch.shape[d] = n if m == 1 else m
        batch.a[d] = a.strides_[i] * size if m != 1 else 0
        batch.b[d] = b.strides_[j] * size if n != 1 else 0
    return 0


cdef int output_shape(kl_batch *batch, TensorBase a, TensorBase b, int64_t *shape) noexcept:
    """Writes the result's shape; returns its number of dims."""
    cdef int d
    cdef int ndim = batch.dims
    for d in range(batch.dims):
        shape[d] = batch.shape[d]
    if a.ndim > 1:
        shape[ndim] = batch.first.rows
        ndim += 1
    if b.ndim > 1:
        shape[ndim] = batch.first.columns
        ndim += 1
    return ndim


cdef int set_output(kl_batch *batch, TensorBase a, TensorBase b, TensorBase out) noexcept:
    cdef int64_t size = kl_itemsize(out.dtype)
    cdef int d
    for d in range(batch.dims):
        batch.out[d] = out.strides_[d] * size
    batch.first.out = out.data
    d = batch.dims
    batch.first.out_row = out.strides_[d] * size if a.ndim > 1 else 0
    return 0


cdef TensorBase matmul_op(TensorBase a, TensorBase b, TensorBase bias, TensorBase out):
    cdef kl_batch batch
    cdef int64_t shape[KL_MAX_DIMS + 2]
    cdef int status
    check_operands(a, b)
    batch.rt = runtime()
    batch.dtype = a.dtype
    set_batch(&batch, a, b)
    batch.first.rows = a.shape_[a.ndim - 2] if a.ndim > 1 else 1
    batch.first.inner = a.shape_[a.ndim - 1]
    batch.first.columns = b.shape_[b.ndim - 1] if b.ndim > 1 else 1
    set_matrix(&batch.first.a, a, True)
    set_matrix(&batch.first.b, b, False)
    batch.first.bias = bias.data if bias is not None else NULL
    batch.first.fresh = True
    cdef int ndim = output_shape(&batch, a, b, shape)
    if out is None:
        out = new_tensor(a.dtype, ndim, shape)
    set_output(&batch, a, b, out)
    with nogil:
        status = kl_matmul_batched(&batch)
    check(status, "matmul")
    return out


def matmul(TensorBase a not None, TensorBase b not None, TensorBase bias=None):
    """The product of the last two dims, batch dims broadcast; a 1-D operand is a row or column."""
    return matmul_op(a, b, bias, None)


RUNGS = {
    name: code
    for code, name in enumerate(
        ["v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded"]
    )
}


cdef int check_rung(str op, TensorBase a, TensorBase b, TensorBase out) except -1:
    if a.ndim != 2 or b.ndim != 2 or out.ndim != 2:
        raise ValueError(f"{op}: operands must be 2-D: {shapes_of(a, b)} -> {tuple(out.shape)}")
    if a.dtype != b.dtype or a.dtype != out.dtype or a.dtype == KL_DTYPE_bool:
        raise TypeError(
            f"{op}: dtypes must be one of float32 and float64, got {by_code(a.dtype).name} @ "
            f"{by_code(b.dtype).name} -> {by_code(out.dtype).name}"
        )
    if a.shape_[1] != b.shape_[0]:
        raise ValueError(f"{op}: inner sizes differ: {shapes_of(a, b)}")
    if out.shape_[0] != a.shape_[0] or out.shape_[1] != b.shape_[1]:
        raise ValueError(
            f"{op}: out has shape {tuple(out.shape)}, expected {(a.shape_[0], b.shape_[1])}"
        )
    if not (a.contiguous and b.contiguous and out.contiguous):
        raise ValueError(f"{op}: operands must be contiguous")
    return 0


def rung(str op, TensorBase a not None, TensorBase b not None, TensorBase out not None):
    """out += a @ b by the named rung of the ladder."""
    cdef kl_rung call
    cdef int code = RUNGS[op]
    cdef int dtype = a.dtype
    cdef int status
    cdef const kl_runtime *rt = runtime()
    check_rung(op, a, b, out)
    if not kl_is_float(dtype):
        raise TypeError(f"{op}: dtype must be float32 or float64, got {by_code(dtype).name}")
    begin_write(out, op)
    call.a = a.data
    call.b = b.data
    call.out = out.data
    call.rows = a.shape_[0]
    call.inner = a.shape_[1]
    call.columns = b.shape_[1]
    with nogil:
        status = kl_matmul_rung(rt, dtype, code, &call)
    check(status, op)
