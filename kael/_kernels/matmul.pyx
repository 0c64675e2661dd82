"""Matrix products: what memory each call touches; arithmetic in include/kael/matmul.h."""

from functools import partial

from libc.stdint cimport int64_t

from kael._kernels.elementwise cimport as_contiguous, copy_into, kl_kernel
from kael._kernels.graph cimport record_op, wants_grad
from kael._kernels.layout cimport kl_extents_meet, kl_strided, strided
from kael._kernels.reduce cimport dot
from kael._kernels.runtime cimport check, end_op, grad_enabled, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_MAX_DIMS, TensorBase, begin_write, bytes_of, kl_is_float, kl_itemsize,
    new_tensor,
)

from kael._kernels.tensor import require_tensor
from kael.dtypes import by_code

cdef extern from "kael/matmul.h" nogil:
    enum:
        KL_DIRECT
        KL_PANELS
        KL_STREAM
        KL_TURNED
        KL_PACKED
    enum:
        KL_V1
        KL_V2
        KL_V3
        KL_V4
        KL_V5
        KL_V6
        KL_EXACT
        KL_BY_WAY

    struct kl_matrix:
        const char *data
        int64_t row
        int64_t column

    struct kl_activation:
        kl_kernel kernel
        int64_t result

    struct kl_product:
        int64_t rows
        int64_t inner
        int64_t columns
        kl_matrix a
        kl_matrix b
        char *out
        int64_t out_row
        int64_t out_column
        const char *bias
        kl_activation activation
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

    int kl_matmul_batched(kl_batch *batch)
    void kl_batch_work(const kl_batch *batch, int64_t *elements, int64_t *flops)
    bint kl_batch_may_stop(kl_batch *batch)
    int kl_matmul_way(const kl_runtime *rt, int dtype, const kl_product *product)
    int kl_matmul_rung(const kl_runtime *rt, int dtype, int name, kl_rung *rung)


cdef int require_tensors(str op, object a, object b) except -1:
    if not isinstance(a, TensorBase) or not isinstance(b, TensorBase):
        require_tensor(op, a, b)
    return 0


cdef str shapes_of(TensorBase a, TensorBase b):
    return f"{tuple(a.shape)} @ {tuple(b.shape)}"


cpdef int check_operands(str op, TensorBase a, TensorBase b) except -1:
    """Refuses dtypes that differ, bool, 0-D operands and inner sizes that differ."""
    if a.dtype != b.dtype:
        raise TypeError(f"{op}: dtypes differ: {by_code(a.dtype).name} @ {by_code(b.dtype).name}")
    if a.dtype == KL_DTYPE_bool:
        raise TypeError(f"{op}: not defined for bool")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"{op}: operands need at least 1 dim: {shapes_of(a, b)}")
    if a.shape_[a.ndim - 1] != b.shape_[b.ndim - 2 if b.ndim > 1 else 0]:
        raise ValueError(f"{op}: inner sizes differ: {shapes_of(a, b)}")
    return 0


cdef void set_rows(kl_product *product, TensorBase a) noexcept:
    """The left matrix: the last two dims of a, a vector being one row."""
    cdef int64_t size = kl_itemsize(a.dtype)
    cdef int last = a.ndim - 1
    product.a.data = a.data
    product.a.row = a.strides_[last - 1] * size if last > 0 else 0
    product.a.column = a.strides_[last] * size
    product.rows = a.shape_[last - 1] if last > 0 else 1
    product.inner = a.shape_[last]


cdef void set_columns(kl_product *product, TensorBase b, bint transposed) noexcept:
    """The right matrix: the last two dims of b, a vector being one column."""
    cdef int64_t size = kl_itemsize(b.dtype)
    cdef int last = b.ndim - 1, row = b.ndim - 2
    product.b.data = b.data
    if last == 0:
        product.b.row = b.strides_[0] * size
        product.b.column = size
        product.columns = 1
        return
    if transposed:
        row, last = last, row
    product.b.row = b.strides_[row] * size
    product.columns = b.shape_[last]
    product.b.column = b.strides_[last] * size if product.columns > 1 else size


cdef int set_batch(kl_batch *batch, str op, TensorBase a, TensorBase b) except -1:
    """Batch dims of a @ b, broadcast: sizes and the operands' byte strides."""
    cdef int64_t size = kl_itemsize(a.dtype)
    cdef int a_dims = max(a.ndim - 2, 0)
    cdef int b_dims = max(b.ndim - 2, 0)
    cdef int d, i, j
    cdef int64_t m, n
    batch.rt = runtime()
    batch.dtype = a.dtype
    batch.first.bias = NULL
    batch.first.activation.kernel = NULL
    batch.first.activation.result = 0
    batch.first.fresh = True
    batch.dims = max(a_dims, b_dims)
    for d in range(batch.dims):
        i = d - (batch.dims - a_dims)
        j = d - (batch.dims - b_dims)
        m = a.shape_[i] if i >= 0 else 1
        n = b.shape_[j] if j >= 0 else 1
        if m != n and m != 1 and n != 1:
            raise ValueError(f"{op}: batch sizes do not broadcast: {shapes_of(a, b)}")
        batch.shape[d] = n if m == 1 else m
        batch.a[d] = a.strides_[i] * size if m != 1 else 0
        batch.b[d] = b.strides_[j] * size if n != 1 else 0
    return 0


cdef int output_shape(kl_batch *batch, bint has_rows, bint has_columns, int64_t *shape) noexcept:
    """Writes the result's shape; returns its number of dims."""
    cdef int d, ndim = batch.dims
    for d in range(ndim):
        shape[d] = batch.shape[d]
    if has_rows:
        shape[ndim] = batch.first.rows
        ndim += 1
    if has_columns:
        shape[ndim] = batch.first.columns
        ndim += 1
    return ndim


cdef void set_output(kl_batch *batch, TensorBase out, bint has_rows, bint has_columns) noexcept:
    """out has the result's shape, its batch dims first."""
    cdef int64_t size = kl_itemsize(out.dtype)
    cdef int d = batch.dims
    batch.first.out = out.data
    batch.first.out_row = out.strides_[d] * size if has_rows else 0
    batch.first.out_column = out.strides_[out.ndim - 1] * size if has_columns else size
    for d in range(batch.dims):
        batch.out[d] = out.strides_[d] * size


cdef int run(kl_batch *batch, str op) except -1:
    cdef int status
    cdef int64_t elements, flops
    cdef kl_op profiled
    if batch.rt.begin is not NULL:
        batch.rt.begin(&profiled)
    with nogil:
        status = kl_matmul_batched(batch)
    if batch.rt.begin is not NULL:
        kl_batch_work(batch, &elements, &flops)
        end_op(&profiled, op, elements * kl_itemsize(batch.dtype), flops)
    return check(status, op)


cdef bint takes_result(kl_batch *batch) noexcept:
    """Whether the loops can write to this output: its columns, or its rows, lie side by side."""
    cdef int64_t size = kl_itemsize(batch.dtype)
    cdef kl_product *first = &batch.first
    return (first.columns == 1 or first.out_column == size
            or (first.rows > 1 and first.out_row == size))


cdef TensorBase matmul_op(str op, TensorBase a, TensorBase b, TensorBase out):
    cdef kl_batch batch
    cdef int64_t shape[KL_MAX_DIMS + 2]
    cdef bint has_rows = a.ndim > 1, has_columns = b.ndim > 1, is_given = out is not None
    check_operands(op, a, b)
    set_batch(&batch, op, a, b)
    set_rows(&batch.first, a)
    set_columns(&batch.first, b, False)
    cdef int ndim = output_shape(&batch, has_rows, has_columns, shape)
    if is_given:
        check_output(op, out, a, b, ndim, shape)
    elif ndim == 0:
        return dot(a, b)
    else:
        out = new_tensor(a.dtype, ndim, shape)
    set_output(&batch, out, has_rows, has_columns)
    if is_given and (ndim == 0 or not takes_result(&batch) or kl_batch_may_stop(&batch)):
        copy_into(out, matmul_op(op, a, b, None))
    else:
        run(&batch, op)
    return out


cdef int check_output(str op, TensorBase out, TensorBase a, TensorBase b, int ndim,
                      const int64_t *shape) except -1:
    """Refuses an out= of another shape or dtype, read-only, or sharing memory with an operand."""
    cdef kl_strided of_out = strided(out), of_a = strided(a), of_b = strided(b)
    cdef int d
    cdef bint fits = out.ndim == ndim
    if out.dtype != a.dtype:
        raise TypeError(f"{op}: out is {by_code(out.dtype).name}, expected {by_code(a.dtype).name}")
    for d in range(ndim if fits else 0):
        fits = fits and out.shape_[d] == shape[d]
    if not fits:
        expected = tuple([shape[d] for d in range(ndim)])
        raise ValueError(f"{op}: out has shape {tuple(out.shape)}, expected {expected}")
    if kl_extents_meet(&of_out, &of_a) or kl_extents_meet(&of_out, &of_b):
        raise ValueError(f"{op}: out shares memory with an operand")
    return begin_write(out, op)


def check_sum_output(str op, out, TensorBase x, TensorBase a, TensorBase b, tuple shape):
    """Refuses an out= of x + a @ b as that of a product; it may share memory with x."""
    cdef int64_t sizes[KL_MAX_DIMS]
    cdef int d
    require_tensor(op, out=out)
    for d in range(len(shape)):
        sizes[d] = shape[d]
    if wants_grad(out) or wants_grad(x) or wants_gradient(a, b):
        refuse_gradients(op)
    check_output(op, out, a, b, len(shape), sizes)


cdef object refuse_gradients(str op):
    raise RuntimeError(f"{op}: out= does not support gradients; use it under no_grad()")


cdef int linear_into(TensorBase sums, TensorBase x, TensorBase weight, TensorBase bias,
                     kl_kernel activation, TensorBase result) except -1:
    cdef kl_batch batch
    set_batch(&batch, "linear", x, weight)
    set_rows(&batch.first, x)
    set_columns(&batch.first, weight, True)
    if bias is not None:
        bias = as_contiguous(bias)
        batch.first.bias = bias.data
    batch.first.activation.kernel = activation
    batch.first.activation.result = result.data - sums.data
    set_output(&batch, sums, x.ndim > 1, True)
    return run(&batch, "linear")


cdef bint wants_gradient(TensorBase a, TensorBase b) noexcept:
    return (a.requires_grad_flag or b.requires_grad_flag) and grad_enabled()


cdef tuple without_none(object a, object b):
    if a is None:
        return () if b is None else (b,)
    return (a,) if b is None else (a, b)


def matmul(str op, a, b, TensorBase out or None, gradients):
    """a @ b, batch dims broadcast; a 1-D operand is a row or a column, two are folded (R3).

    Recorded with ``gradients(a, b, a_shape, b_shape, g)``, which gets None for an operand whose
    values it does not need, because the other requires no gradient.
    """
    cdef TensorBase result
    require_tensors(op, a, b)
    if not wants_gradient(a, b) and (out is None or not wants_grad(out)):
        return matmul_op(op, a, b, out)
    if out is not None:
        refuse_gradients(op)
    result = matmul_op(op, a, b, None)
    reads_a = a if (<TensorBase> b).requires_grad_flag else None
    reads_b = b if (<TensorBase> a).requires_grad_flag else None
    return record_op(op, result, (a, b), partial(gradients, reads_a, reads_b, a.shape, b.shape),
                     without_none(reads_a, reads_b))


cdef int set_rung(kl_rung *call, str op, TensorBase a, TensorBase b, TensorBase out) except -1:
    cdef int64_t shape[2]
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"{op}: operands must be 2-D, got {shapes_of(a, b)}")
    check_operands(op, a, b)
    shape[0] = a.shape_[0]
    shape[1] = b.shape_[1]
    if not (a.contiguous and b.contiguous and out.contiguous):
        raise ValueError(f"{op}: operands and out must be contiguous")
    check_output(op, out, a, b, 2, shape)
    call.a = a.data
    call.b = b.data
    call.out = out.data
    call.rows = a.shape_[0]
    call.inner = a.shape_[1]
    call.columns = b.shape_[1]
    return 0


WAYS = {"direct": KL_DIRECT, "stream": KL_STREAM, "turned": KL_TURNED, "panels": KL_PANELS,
        "packed": KL_PACKED}
RUNGS = {"v1_ijk": KL_V1, "v2_ikj": KL_V2, "v3_tiled": KL_V3, "v4_packed": KL_V4,
         "v5_simd": KL_V5, "v6_threaded": KL_V6, "multiply_exact": KL_EXACT,
         "direct": KL_BY_WAY + KL_DIRECT, "stream": KL_BY_WAY + KL_STREAM,
         "panels": KL_BY_WAY + KL_PANELS, "packed": KL_BY_WAY + KL_PACKED}


def rung(str op, TensorBase a not None, TensorBase b not None, TensorBase out not None):
    """out += a @ b by the named rung or way: of floats, multiply_exact of integers."""
    cdef kl_rung call
    cdef int name = RUNGS[op], dtype = a.dtype, status
    cdef const kl_runtime *rt = runtime()
    if kl_is_float(dtype) == (name == KL_EXACT):
        wanted = "an integer" if name == KL_EXACT else "float32 or float64"
        raise TypeError(f"{op}: dtype must be {wanted}, got {by_code(dtype).name}")
    set_rung(&call, op, a, b, out)
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = kl_matmul_rung(rt, dtype, name, &call)
    if rt.begin is not NULL:
        end_op(&profiled, op, bytes_of(a) + bytes_of(b) + bytes_of(out),
               2 * out.size * call.inner)
    check(status, op)


def way(TensorBase a not None, TensorBase b not None):
    """The number in WAYS of the way that a @ b goes, for matrices."""
    cdef kl_product product
    check_operands("way", a, b)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"way: operands must be 2-D, got {shapes_of(a, b)}")
    set_rows(&product, a)
    set_columns(&product, b, False)
    product.bias = NULL
    product.activation.kernel = NULL
    product.activation.result = 0
    product.out = NULL
    product.out_row = product.columns * kl_itemsize(a.dtype)
    product.out_column = kl_itemsize(a.dtype)
    product.fresh = True
    return kl_matmul_way(runtime(), a.dtype, &product)
