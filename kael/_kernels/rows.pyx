"""Row kernels: what memory the rows of a call are, and the call into include/kael/rows.h."""

from libc.stdint cimport int64_t

from kael._kernels.runtime cimport KL_INDEX_RANGE, check, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_f64, KL_DTYPE_i64, KL_MAX_DIMS, TensorBase, kl_is_float, new_like, new_tensor,
    same_shape,
)


cdef extern from "kael/rows.h" nogil:
    enum:
        KL_ROW_softmax
        KL_ROW_log_softmax
        KL_ROW_standardize
        KL_ROW_cross_entropy
        KL_ROW_softmax_backward
        KL_ROW_log_softmax_backward
        KL_ROW_standardize_backward
        KL_ROW_cross_entropy_backward

    struct kl_row_operand:
        pass

    struct kl_rows:
        const kl_runtime *rt
        int64_t rows
        int64_t size
        int ndim
        int64_t shape[KL_MAX_DIMS]
        kl_row_operand operand[3]
        const int64_t *targets
        const void *weight
        const void *bias
        double eps
        double *moments

    enum:
        KL_ROW_X
        KL_ROW_Y
        KL_ROW_OUT

    void kl_row_operand_set(kl_row_operand *operand, void *data, int ndim, const int64_t *strides,
                            int dim, int64_t size)
    int kl_rows_run(kl_rows *call, int kernel, int dtype)


cdef tuple NAMES = (
    "softmax", "log_softmax", "standardize", "cross_entropy_losses",
    "softmax backward", "log_softmax backward", "standardize backward",
    "cross_entropy_losses backward",
)
ROWS = {
    "softmax": KL_ROW_softmax, "log_softmax": KL_ROW_log_softmax,
    "softmax_backward": KL_ROW_softmax_backward,
    "log_softmax_backward": KL_ROW_log_softmax_backward,
}


cdef int begin(kl_rows *call, TensorBase x, int first, int last) except -1:
    """Rows of x along the dims first .. last, which must be one run in memory if several."""
    cdef int d
    call.rt = runtime()
    call.size = 1
    for d in range(first, last + 1):
        call.size *= x.shape_[d]
    call.rows = 1
    call.ndim = 0
    for d in range(x.ndim):
        if d < first or d > last:
            call.shape[call.ndim] = x.shape_[d]
            call.rows *= x.shape_[d]
            call.ndim += 1
    call.targets = NULL
    call.weight = NULL
    call.bias = NULL
    call.eps = 0
    call.moments = NULL
    for d in range(3):
        kl_row_operand_set(&call.operand[d], NULL, 0, NULL, -1, 0)
    return 0


cdef int require_float(TensorBase x, str op) except -1:
    if not kl_is_float(x.dtype):
        raise TypeError(f"{op}: takes floating-point tensors")
    return 0


cdef int require_like(TensorBase x, TensorBase y, str op) except -1:
    if y.dtype != x.dtype or not same_shape(x, y):
        raise ValueError(f"{op}: shapes or dtypes differ: {x.shape} and {y.shape}")
    return 0


cdef void operand(kl_rows *call, int which, TensorBase x, int dim) noexcept:
    """Operand whose rows lie along `dim`; -1 for one element a row."""
    cdef int64_t size = call.size if dim >= 0 else 1
    kl_row_operand_set(&call.operand[which], x.data, x.ndim, x.strides_, dim, size)


cdef TensorBase row_op(int kernel, TensorBase x, TensorBase y, int dim):
    cdef kl_rows call
    cdef int status
    require_float(x, NAMES[kernel])
    cdef TensorBase out = new_like(x, x.dtype)
    if x.ndim == 0:
        begin(&call, x, 0, -1)
    else:
        begin(&call, x, dim, dim)
    dim = dim if x.ndim > 0 else -1
    operand(&call, KL_ROW_X, x, dim)
    operand(&call, KL_ROW_OUT, out, dim)
    if y is not None:
        require_like(x, y, NAMES[kernel])
        operand(&call, KL_ROW_Y, y, dim)
    with nogil:
        status = kl_rows_run(&call, kernel, x.dtype)
    check(status, NAMES[kernel])
    return out


def rows(int kernel, TensorBase x not None, int dim, TensorBase y=None):
    """The row kernel numbered ``ROWS[name]`` along ``dim`` (not negative) of ``x`` (and ``y``)."""
    if dim < 0 or (dim >= x.ndim and x.ndim > 0):
        raise IndexError(f"{NAMES[kernel]}: dim {dim} of {x.ndim}")
    return row_op(kernel, x, y, dim)


# --- standardize ---------------------------------------------------------------------------------

cdef const void *vector(TensorBase v, TensorBase x, int64_t size, str name) except? NULL:
    """The elements of a weight or bias."""
    if v is None:
        return NULL
    if v.dtype != x.dtype or v.size != size or not v.contiguous:
        raise ValueError(f"standardize: {name} must be contiguous, of the input's dtype and "
                         f"{size} elements, got shape {v.shape}")
    return v.data


cdef int last_long_dim(TensorBase x, int dims) noexcept:
    """The last of the normalized dims that is longer than 1: the stride of the others is anything,
    also in a contiguous tensor."""
    cdef int d = x.ndim - 1
    while d > x.ndim - dims and x.shape_[d] == 1:
        d -= 1
    return d


cdef int begin_standardize(kl_rows *call, TensorBase x, int dims, str op) except -1:
    require_float(x, op)
    if dims < 1 or dims > x.ndim:
        raise ValueError(f"{op}: {dims} normalized dims of a tensor of {x.ndim}")
    if dims > 1 and not x.contiguous:
        raise ValueError(f"{op}: several normalized dims need a contiguous tensor")
    begin(call, x, x.ndim - dims, x.ndim - 1)
    operand(call, KL_ROW_X, x, last_long_dim(x, dims))
    return 0


def standardize(TensorBase x not None, int dims, double eps, TensorBase weight=None,
                TensorBase bias=None, bint keep=False):
    """Standardizes rows made of the last ``dims`` dims; ``x`` is contiguous where that is not 1.

    Returns the result and, with ``keep``, the rows' centers and scales for the gradient, or None.
    """
    cdef kl_rows call
    cdef int status
    cdef int64_t[2] shape
    cdef TensorBase moments = None
    begin_standardize(&call, x, dims, "standardize")
    cdef TensorBase out = new_like(x, x.dtype)
    operand(&call, KL_ROW_OUT, out, last_long_dim(x, dims))
    call.eps = eps
    call.weight = vector(weight, x, call.size, "weight")
    call.bias = vector(bias, x, call.size, "bias")
    if keep:
        shape[0] = call.rows
        shape[1] = 2
        moments = new_tensor(KL_DTYPE_f64, 2, shape)
        call.moments = <double *> moments.data
    with nogil:
        status = kl_rows_run(&call, KL_ROW_standardize, x.dtype)
    check(status, "standardize")
    return out, moments


def standardize_backward(TensorBase x not None, int dims, TensorBase moments not None,
                         TensorBase g not None):
    """The gradient at ``x``, ``g`` being that at the standardized rows without weight and bias."""
    cdef kl_rows call
    cdef int status
    cdef str op = NAMES[KL_ROW_standardize_backward]
    begin_standardize(&call, x, dims, op)
    require_like(x, g, op)
    if dims > 1 and not g.contiguous:
        raise ValueError(f"{op}: several normalized dims need a contiguous gradient")
    if moments.dtype != KL_DTYPE_f64 or moments.size != 2 * call.rows or not moments.contiguous:
        raise ValueError(f"{op}: moments of another call, shape {moments.shape}")
    cdef TensorBase out = new_like(x, x.dtype)
    operand(&call, KL_ROW_Y, g, last_long_dim(x, dims))
    operand(&call, KL_ROW_OUT, out, last_long_dim(x, dims))
    call.moments = <double *> moments.data
    with nogil:
        status = kl_rows_run(&call, KL_ROW_standardize_backward, x.dtype)
    check(status, op)
    return out


# --- cross entropy -------------------------------------------------------------------------------

cdef int require_targets(TensorBase logits, TensorBase targets) except -1:
    cdef int d
    require_float(logits, "cross_entropy_losses")
    if targets.dtype != KL_DTYPE_i64 or not targets.contiguous:
        raise TypeError("cross_entropy_losses: targets must be contiguous int64")
    if logits.ndim < 1 or targets.ndim != logits.ndim - 1:
        raise ValueError(f"cross_entropy_losses: logits {logits.shape} need one target per row, "
                         f"got targets {targets.shape}")
    for d in range(targets.ndim):
        if targets.shape_[d] != logits.shape_[d]:
            raise ValueError(f"cross_entropy_losses: logits {logits.shape} need one target per "
                             f"row, got targets {targets.shape}")
    return 0


cdef int raise_target(TensorBase targets, int64_t classes) except -1:
    """Names the first target out of range; only a failed call looks for it."""
    cdef const int64_t *values = <const int64_t *> targets.data
    cdef int64_t row
    for row in range(targets.size):
        if values[row] < 0 or values[row] >= classes:
            raise IndexError(f"cross_entropy_losses: target {values[row]} of row {row} is out of "
                             f"range for {classes} classes")
    raise IndexError("cross_entropy_losses: a target changed during the call")


cdef int run_targets(kl_rows *call, int kernel, TensorBase logits, TensorBase targets) except -1:
    cdef int status
    call.targets = <const int64_t *> targets.data
    operand(call, KL_ROW_X, logits, logits.ndim - 1)
    if call.size == 0 and call.rows > 0:
        raise_target(targets, 0)
    with nogil:
        status = kl_rows_run(call, kernel, logits.dtype)
    if status == KL_INDEX_RANGE:
        raise_target(targets, call.size)
    return check(status, NAMES[kernel])


def cross_entropy(TensorBase logits not None, TensorBase targets not None):
    """One loss per row of the last dim; ``targets`` are contiguous int64."""
    cdef kl_rows call
    require_targets(logits, targets)
    cdef TensorBase losses = new_tensor(logits.dtype, targets.ndim, targets.shape_)
    begin(&call, logits, logits.ndim - 1, logits.ndim - 1)
    operand(&call, KL_ROW_OUT, losses, -1)
    run_targets(&call, KL_ROW_cross_entropy, logits, targets)
    return losses


def cross_entropy_backward(TensorBase logits not None, TensorBase targets not None,
                           TensorBase g not None):
    """The gradient at the logits, ``g`` being that at the losses."""
    cdef kl_rows call
    require_targets(logits, targets)
    if g.dtype != logits.dtype or not same_shape(g, targets):
        raise ValueError(f"cross_entropy_losses backward: gradient {g.shape} for losses "
                         f"{targets.shape}")
    cdef TensorBase out = new_like(logits, logits.dtype)
    begin(&call, logits, logits.ndim - 1, logits.ndim - 1)
    operand(&call, KL_ROW_Y, g, -1)
    operand(&call, KL_ROW_OUT, out, logits.ndim - 1)
    run_targets(&call, KL_ROW_cross_entropy_backward, logits, targets)
    return out
