"""Losses of rows: their operands, and the call into include/kael/losses.h."""

from libc.stdint cimport int64_t

from kael._kernels.row_calls cimport (
    KL_ROW_OUT, KL_ROW_SLOPE, KL_ROW_X, KL_ROW_Y, begin, bytes_of_rows, fill, kl_rows, one_a_row,
    operand, require_float, require_like, vector,
)
from kael._kernels.runtime cimport KL_INDEX_RANGE, check, end_op, kl_op
from kael._kernels.tensor cimport KL_DTYPE_i64, TensorBase, kl_is_float, new_like


cdef extern from "kael/losses.h" nogil:
    enum:
        KL_LOSS_cross_entropy
        KL_LOSS_mixed_cross_entropy
        KL_LOSS_cross_entropy_backward
        KL_LOSS_mixed_cross_entropy_backward

    int kl_losses_apply(kl_rows *call, int kernel, int dtype)


cdef int raise_shapes(TensorBase logits, TensorBase targets, str op) except -1:
    raise ValueError(f"{op}: logits {logits.shape} need one target per row, got "
                     f"targets {targets.shape}")


cdef int require_targets(TensorBase logits, TensorBase targets, int dim, str op) except -1:
    """Targets of one dtype and shape with the logits, or contiguous int64 without their dim."""
    cdef int d
    require_float(logits, op)
    if kl_is_float(targets.dtype):
        return require_like(logits, targets, op)
    if targets.dtype != KL_DTYPE_i64 or not targets.contiguous:
        raise TypeError(f"{op}: targets must be contiguous int64")
    if logits.ndim < 1 or targets.ndim != logits.ndim - 1:
        raise_shapes(logits, targets, op)
    for d in range(targets.ndim):
        if targets.shape_[d] != logits.shape_[d + (d >= dim)]:
            raise_shapes(logits, targets, op)
    return 0


cdef int raise_target(TensorBase targets, kl_rows *call, str op) except -1:
    """Names the first target out of range; only a failed call looks for it."""
    cdef const int64_t *values = <const int64_t *> targets.data
    cdef int64_t row
    for row in range(targets.size):
        if call.skipped != NULL and values[row] == call.ignored:
            continue
        if values[row] < 0 or values[row] >= call.size:
            raise IndexError(f"{op}: target {values[row]} of row {row} is out of range for "
                             f"{call.size} classes")
    if call.size > 0:
        raise IndexError(f"{op}: a target changed during the call")
    call.skipped[0] = True
    return 0


cdef int begin_losses(kl_rows *call, TensorBase logits, TensorBase targets, int dim,
                      TensorBase weight, double smoothing, str op) except -1:
    if dim < 0 or dim >= logits.ndim:
        raise IndexError(f"{op}: dim {dim} of {logits.ndim}")
    require_targets(logits, targets, dim, op)
    begin(call, logits, dim, dim)
    operand(call, KL_ROW_X, logits, dim)
    if kl_is_float(targets.dtype):
        operand(call, KL_ROW_Y, targets, dim)
    else:
        call.targets = <const int64_t *> targets.data
    call.weight = vector(weight, logits, call.size, op, "weight")
    call.eps = smoothing
    return 0


cdef int run_losses(kl_rows *call, int kernel, TensorBase logits, TensorBase targets,
                    str op) except -1:
    cdef int status
    cdef kl_op profiled
    if call.size == 0 and call.rows > 0 and call.targets != NULL:
        return raise_target(targets, call, op)
    if call.rt.begin is not NULL:
        call.rt.begin(&profiled)
    with nogil:
        status = kl_losses_apply(call, kernel, logits.dtype)
    if call.rt.begin is not NULL:
        end_op(&profiled, "cross_entropy_losses" if kernel <= KL_LOSS_mixed_cross_entropy
               else "cross_entropy_losses backward", bytes_of_rows(call), 5 * logits.size)
    if status == KL_INDEX_RANGE:
        raise_target(targets, call, op)
    return check(status, op)


def cross_entropy(TensorBase logits not None, TensorBase targets not None, int dim,
                  TensorBase weight=None, ignored=None, double smoothing=0.0,
                  str op="cross_entropy_losses"):
    """One loss per row along ``dim`` (not negative), and whether a row was ignored.

    ``targets`` are contiguous int64, or probabilities like the logits; ``ignored`` is a target that
    does not count, or None.
    """
    cdef kl_rows call
    cdef int skipped = False
    cdef bint mixed = kl_is_float(targets.dtype) or smoothing > 0
    begin_losses(&call, logits, targets, dim, weight, smoothing, op)
    if ignored is not None:
        call.ignored = ignored
        call.skipped = &skipped
    cdef TensorBase losses = one_a_row(&call, logits.dtype)
    operand(&call, KL_ROW_OUT, losses, -1)
    if call.size == 0:
        fill(losses, 0)
    run_losses(&call, KL_LOSS_mixed_cross_entropy if mixed else KL_LOSS_cross_entropy, logits,
               targets, op)
    return losses, bool(skipped)


def cross_entropy_backward(TensorBase logits not None, TensorBase targets not None,
                           TensorBase g not None, int dim, TensorBase weight=None, ignored=None,
                           double smoothing=0.0, str op="cross_entropy_losses"):
    """The gradient at the logits, ``g`` being that at the losses."""
    cdef kl_rows call
    cdef int skipped = False
    cdef bint mixed = kl_is_float(targets.dtype) or smoothing > 0
    begin_losses(&call, logits, targets, dim, weight, smoothing, op)
    if g.dtype != logits.dtype or g.ndim != call.ndim or g.size != call.rows:
        raise ValueError(f"{op} backward: gradient {g.shape} for logits {logits.shape}")
    if ignored is not None:
        call.ignored = ignored
        call.skipped = &skipped
    cdef TensorBase out = new_like(logits, logits.dtype)
    operand(&call, KL_ROW_SLOPE, g, -1)
    operand(&call, KL_ROW_OUT, out, dim)
    run_losses(&call, KL_LOSS_mixed_cross_entropy_backward if mixed
               else KL_LOSS_cross_entropy_backward, logits, targets, op)
    return out
