"""Row kernels: what memory the rows of a call are, and the call into include/kael/rows.h."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from kael._kernels.row_calls cimport (
    KL_ROW_OUT, KL_ROW_SLOPE, KL_ROW_X, KL_ROW_Y, begin, bytes_of_rows, fill, kl_row_operand_set,
    kl_rows, one_a_row, operand, require_float, require_like, vector,
)
from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_f64, KL_DTYPE_i64, KL_MAX_DIMS, TensorBase, bytes_of, kl_itemsize, new_like,
    new_tensor, wrap_dim,
)


cdef extern from "kael/rows.h" nogil:
    enum:
        KL_ROW_softmax
        KL_ROW_log_softmax
        KL_ROW_causal_softmax
        KL_ROW_logsumexp
        KL_ROW_standardize
        KL_ROW_rms
        KL_ROW_cumsum
        KL_ROW_softmax_backward
        KL_ROW_log_softmax_backward
        KL_ROW_causal_softmax_backward
        KL_ROW_logsumexp_backward
        KL_ROW_standardize_backward
        KL_ROW_rms_backward
        KL_ROW_COUNT

    struct kl_affine:
        const kl_runtime *rt
        int64_t rows
        int64_t size
        const void *x
        const void *g
        const double *moments
        void *weight
        void *bias

    int kl_rows_apply(kl_rows *call, int kernel, int dtype)
    int kl_rows_affine(kl_affine *call, int dtype)


# What messages and profiles call a kernel, and its operations an element, an elementary function
# being one.
cdef dict KERNELS = {
    KL_ROW_softmax: ("softmax", 5),
    KL_ROW_log_softmax: ("log_softmax", 5),
    KL_ROW_causal_softmax: ("causal_softmax", 5),
    KL_ROW_logsumexp: ("logsumexp", 4),
    KL_ROW_standardize: ("standardize", 6),
    KL_ROW_rms: ("rms_norm", 4),
    KL_ROW_cumsum: ("cumsum", 1),
    KL_ROW_softmax_backward: ("softmax backward", 4),
    KL_ROW_log_softmax_backward: ("log_softmax backward", 4),
    KL_ROW_causal_softmax_backward: ("causal_softmax backward", 4),
    KL_ROW_logsumexp_backward: ("logsumexp backward", 3),
    KL_ROW_standardize_backward: ("standardize backward", 8),
    KL_ROW_rms_backward: ("rms_norm backward", 7),
}
cdef tuple NAMES = tuple([KERNELS[number][0] for number in range(KL_ROW_COUNT)])
cdef tuple FLOPS = tuple([KERNELS[number][1] for number in range(KL_ROW_COUNT)])
ROWS = {
    "softmax": KL_ROW_softmax, "log_softmax": KL_ROW_log_softmax,
    "softmax_backward": KL_ROW_softmax_backward,
    "log_softmax_backward": KL_ROW_log_softmax_backward,
}


cdef int row_dim(TensorBase x, object dim, str op) except -2:
    """`dim` counted from the front; -1 for a 0-d tensor, which is one row of one element."""
    cdef int along = wrap_dim(dim, x.ndim, op)
    return along if x.ndim > 0 else -1


cdef void reversed_operand(kl_rows *call, int which, TensorBase x, int dim) noexcept:
    """Operand whose rows lie along `dim` and are read from their end."""
    cdef int64_t strides[KL_MAX_DIMS]
    cdef char *data = x.data
    memcpy(strides, x.strides_, sizeof(strides))
    strides[dim] = -strides[dim]
    if x.size > 0:
        data += (call.size - 1) * x.strides_[dim] * kl_itemsize(x.dtype)
    kl_row_operand_set(&call.operand[which], data, x.ndim, strides, dim, call.size)


cdef int run(kl_rows *call, int kernel, int dtype) except -1:
    cdef int status
    cdef kl_op op
    if call.rt.begin is not NULL:
        call.rt.begin(&op)
    with nogil:
        status = kl_rows_apply(call, kernel, dtype)
    if call.rt.begin is not NULL:
        end_op(&op, NAMES[kernel], bytes_of_rows(call), FLOPS[kernel] * call.rows * call.size)
    return check(status, NAMES[kernel])


cdef TensorBase row_op(int kernel, TensorBase x, TensorBase y, int dim):
    cdef kl_rows call
    require_float(x, NAMES[kernel])
    cdef TensorBase out = new_like(x, x.dtype)
    if x.ndim == 0:
        dim = -1
    begin(&call, x, dim, dim)
    operand(&call, KL_ROW_X, x, dim)
    operand(&call, KL_ROW_OUT, out, dim)
    if y is not None:
        require_like(x, y, NAMES[kernel])
        operand(&call, KL_ROW_Y, y, dim)
    run(&call, kernel, x.dtype)
    return out


def rows(int kernel, TensorBase x not None, int dim, TensorBase y=None):
    """The row kernel numbered ``ROWS[name]`` along ``dim`` (not negative) of ``x`` (and ``y``)."""
    if dim < 0 or (dim >= x.ndim and x.ndim > 0):
        raise IndexError(f"{NAMES[kernel]}: dim {dim} of {x.ndim}")
    return row_op(kernel, x, y, dim)


def causal_softmax(TensorBase x not None, int64_t offset, TensorBase y=None):
    """Softmax along the last dim of the elements up to ``offset`` after the diagonal of the last
    two dims; with ``y``, the gradient from that of the result, ``x`` being the result."""
    cdef kl_rows call
    cdef int kernel = KL_ROW_causal_softmax if y is None else KL_ROW_causal_softmax_backward
    require_float(x, NAMES[kernel])
    if x.ndim < 2:
        raise ValueError(f"{NAMES[kernel]}: needs at least 2 dims, got shape {x.shape}")
    cdef TensorBase out = new_like(x, x.dtype)
    cdef int last = x.ndim - 1
    begin(&call, x, last, last)
    call.height = x.shape_[last - 1]
    # Beyond the matrix's own sizes every offset means the same.
    call.offset = max(-call.height, min(offset, call.size))
    operand(&call, KL_ROW_X, x, last)
    operand(&call, KL_ROW_OUT, out, last)
    if y is not None:
        require_like(x, y, NAMES[kernel])
        operand(&call, KL_ROW_Y, y, last)
    run(&call, kernel, x.dtype)
    return out


def cumsum(TensorBase x not None, dim, bint reverse=False):
    """Running sums along ``dim``, from its end with ``reverse``; of floats or int64."""
    cdef kl_rows call
    cdef int along = row_dim(x, dim, "cumsum")
    if x.dtype != KL_DTYPE_i64:
        require_float(x, "cumsum")
    cdef TensorBase out = new_like(x, x.dtype)
    begin(&call, x, along, along)
    if reverse and along >= 0:
        reversed_operand(&call, KL_ROW_X, x, along)
        reversed_operand(&call, KL_ROW_OUT, out, along)
    else:
        operand(&call, KL_ROW_X, x, along)
        operand(&call, KL_ROW_OUT, out, along)
    run(&call, KL_ROW_cumsum, x.dtype)
    return out


def logsumexp(TensorBase x not None, dim):
    """log(sum(exp(x))) along ``dim``, which is dropped."""
    cdef kl_rows call
    cdef int along = row_dim(x, dim, "logsumexp")
    require_float(x, "logsumexp")
    begin(&call, x, along, along)
    cdef TensorBase out = one_a_row(&call, x.dtype)
    operand(&call, KL_ROW_X, x, along)
    operand(&call, KL_ROW_OUT, out, -1)
    run(&call, KL_ROW_logsumexp, x.dtype)
    if call.size == 0:
        fill(out, -INFINITY)
    return out


def logsumexp_backward(TensorBase x not None, dim, TensorBase g not None):
    """The gradient at ``x``, ``g`` being that at the result."""
    cdef kl_rows call
    cdef int along = row_dim(x, dim, "logsumexp")
    cdef TensorBase out = new_like(x, x.dtype)
    begin(&call, x, along, along)
    if g.dtype != x.dtype or g.ndim != call.ndim or g.size != call.rows:
        raise ValueError(f"logsumexp backward: gradient {g.shape} for dim {dim} of {x.shape}")
    operand(&call, KL_ROW_X, x, along)
    operand(&call, KL_ROW_SLOPE, g, -1)
    operand(&call, KL_ROW_OUT, out, along)
    run(&call, KL_ROW_logsumexp_backward, x.dtype)
    return out


# --- norms ---------------------------------------------------------------------------------------

cdef int last_long_dim(TensorBase x, int dims) noexcept:
    """The last of the normalized dims that is longer than 1: the stride of the others is anything,
    also in a contiguous tensor."""
    cdef int d = x.ndim - 1
    while d > x.ndim - dims and x.shape_[d] == 1:
        d -= 1
    return d


cdef int begin_norm(kl_rows *call, TensorBase x, int dims, str op) except -1:
    require_float(x, op)
    if dims < 1 or dims > x.ndim:
        raise ValueError(f"{op}: {dims} normalized dims of a tensor of {x.ndim}")
    if dims > 1 and not x.contiguous:
        raise ValueError(f"{op}: several normalized dims need a contiguous tensor")
    begin(call, x, x.ndim - dims, x.ndim - 1)
    operand(call, KL_ROW_X, x, last_long_dim(x, dims))
    return 0


def standardize(TensorBase x not None, int dims, double eps, TensorBase weight=None,
                TensorBase bias=None, bint keep=False, bint centred=True, str op=None):
    """Standardizes rows made of the last ``dims`` dims; ``x`` is contiguous where that is not 1.
    Around zero instead of the mean unless ``centred``: RMS norm. Messages name ``op``.

    Returns the result and, with ``keep``, the rows' centers and scales for the gradient, or None.
    """
    cdef kl_rows call
    cdef int64_t[2] shape
    cdef TensorBase moments = None
    cdef int kernel = KL_ROW_standardize if centred else KL_ROW_rms
    op = NAMES[kernel] if op is None else op
    begin_norm(&call, x, dims, op)
    cdef TensorBase out = new_like(x, x.dtype)
    operand(&call, KL_ROW_OUT, out, last_long_dim(x, dims))
    call.eps = eps
    call.weight = vector(weight, x, call.size, op, "weight")
    call.bias = vector(bias, x, call.size, op, "bias")
    if keep:
        shape[0] = call.rows
        shape[1] = 2
        moments = new_tensor(KL_DTYPE_f64, 2, shape)
        call.moments = <double *> moments.data
    run(&call, kernel, x.dtype)
    return out, moments


cdef int require_moments(TensorBase moments, int64_t rows, str op) except -1:
    if moments.dtype != KL_DTYPE_f64 or moments.size != 2 * rows or not moments.contiguous:
        raise ValueError(f"{op}: moments of another call, shape {moments.shape}")
    return 0


def standardize_backward(TensorBase x not None, int dims, TensorBase moments not None,
                         TensorBase g not None, TensorBase weight=None, bint centred=True):
    """The gradient at ``x``, ``g`` being that at the result of ``standardize``."""
    cdef kl_rows call
    cdef int kernel = KL_ROW_standardize_backward if centred else KL_ROW_rms_backward
    cdef str op = NAMES[kernel]
    begin_norm(&call, x, dims, op)
    require_like(x, g, op)
    require_moments(moments, call.rows, op)
    if dims > 1 and not g.contiguous:
        raise ValueError(f"{op}: several normalized dims need a contiguous gradient")
    cdef TensorBase out = new_like(x, x.dtype)
    operand(&call, KL_ROW_Y, g, last_long_dim(x, dims))
    operand(&call, KL_ROW_OUT, out, last_long_dim(x, dims))
    call.moments = <double *> moments.data
    call.weight = vector(weight, x, call.size, op, "weight")
    run(&call, kernel, x.dtype)
    return out


cdef void zero(TensorBase x) noexcept:
    if x.size > 0:
        memset(x.data, 0, x.size * kl_itemsize(x.dtype))


cdef int check_affine(str op, TensorBase x, TensorBase moments, TensorBase g,
                      TensorBase like) except -1:
    """Refuses what is no x and gradient of rows of which `like` is a weight or bias."""
    require_like(x, g, op)
    if x.size > 0:
        require_moments(moments, x.size // max(like.size, 1), op)
    if not (x.contiguous and g.contiguous) or like.dtype != x.dtype:
        raise ValueError(f"{op}: needs contiguous tensors of one dtype")
    return 0


def affine_gradients(TensorBase x not None, TensorBase moments not None, TensorBase g not None,
                     TensorBase weight=None, TensorBase bias=None):
    """The gradients at those of weight and bias that are given, or None; ``x`` and ``g``
    contiguous, ``g`` being the gradient at the result of ``standardize``."""
    cdef kl_affine call
    cdef int status
    cdef str op = NAMES[KL_ROW_standardize_backward]
    cdef TensorBase like = bias if weight is None else weight
    cdef TensorBase weight_gradient = None, bias_gradient = None
    check_affine(op, x, moments, g, like)
    memset(&call, 0, sizeof(call))
    call.rt = runtime()
    call.size = like.size
    call.rows = x.size // max(like.size, 1)
    call.x = x.data
    call.g = g.data
    call.moments = <double *> moments.data
    if weight is not None:
        weight_gradient = new_like(weight, x.dtype)
        call.weight = weight_gradient.data
    if bias is not None:
        bias_gradient = new_like(bias, x.dtype)
        call.bias = bias_gradient.data
    if x.size == 0:  # sums of nothing
        for gradient in (weight_gradient, bias_gradient):
            if gradient is not None:
                zero(gradient)
        return weight_gradient, bias_gradient
    cdef kl_op profiled
    if call.rt.begin is not NULL:
        call.rt.begin(&profiled)
    with nogil:
        status = kl_rows_affine(&call, x.dtype)
    if call.rt.begin is not NULL:
        end_op(&profiled, "affine_gradients", bytes_of(x) + bytes_of(g) + bytes_of(moments)
               + bytes_of(weight) + bytes_of(bias), 4 * x.size)
    check(status, op)
    return weight_gradient, bias_gradient
