"""The linear layer's product: its operands checked, its gradient and its activation recorded."""

from functools import partial

from libc.stdint cimport int64_t

from kael._kernels.elementwise cimport binary_op, kl_kernel, unary_kernel
from kael._kernels.graph cimport record_op, wants_grad
from kael._kernels.matmul cimport linear_into, require_tensors, without_none
from kael._kernels.tensor cimport (
    KL_MAX_DIMS, TensorBase, kl_is_float, new_like, new_tensor, new_view,
)

from kael._kernels.elementwise import BINARY
from kael._kernels.tensor import require_tensor
from kael.dtypes import by_code

cdef int ADD = BINARY["add"]
# Below it, an addition of its own (0.2 us) costs more than to multiply a column as one.
cdef enum: FEW_SUMS = 32


cdef class Activated:
    """The gradients of a linear layer from that of its activation."""
    cdef object gradients
    cdef int slope
    cdef TensorBase kept

    def __call__(self, g):
        return self.gradients(binary_op(self.slope, g, self.kept, None))


cdef int check_linear(TensorBase x, TensorBase weight, TensorBase bias) except -1:
    if x.dtype != weight.dtype or (bias is not None and bias.dtype != x.dtype):
        names = [by_code(t.dtype_code).name for t in (x, weight, bias) if t is not None]
        raise TypeError(f"linear: dtypes differ: {', '.join(names)}")
    if not kl_is_float(x.dtype):
        raise TypeError(f"linear: not defined for {by_code(x.dtype).name}")
    if x.ndim == 0 or weight.ndim != 2 or x.shape_[x.ndim - 1] != weight.shape_[1]:
        raise ValueError(
            f"linear: x {tuple(x.shape)} does not fit weight {tuple(weight.shape)} "
            "(columns, inner)"
        )
    if bias is not None and (bias.ndim != 1 or bias.shape_[0] != weight.shape_[0]):
        raise ValueError(
            f"linear: bias {tuple(bias.shape)} does not fit weight {tuple(weight.shape)}"
        )
    return 0


cdef TensorBase new_result(TensorBase x, TensorBase weight):
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int d
    for d in range(x.ndim - 1):
        shape[d] = x.shape_[d]
    shape[x.ndim - 1] = weight.shape_[0]
    return new_tensor(x.dtype, x.ndim, shape)


def linear(x, weight, bias, gradients, tuple activation=None):
    """x @ weight.T + bias, bias being None or a vector; then the activation, in the same pass.

    Recorded with ``gradients(x, weight, wants_bias, g)``, x or weight being None as in matmul.
    ``activation`` is (number of its kernel, that of its gradient's, whether that reads the sums
    and not the result). The sums are kept only for such a gradient.
    """
    cdef TensorBase result, sums, kept = None
    cdef Activated activated
    cdef kl_kernel kernel = NULL
    cdef bint wants_bias = False, recorded
    require_tensors("linear", x, weight)
    if isinstance(bias, TensorBase):
        wants_bias = wants_grad(bias)
    elif bias is not None:
        require_tensor("linear", bias=bias)
    check_linear(x, weight, bias)
    recorded = wants_bias or wants_grad(x) or wants_grad(weight)
    result = sums = new_result(x, weight)
    if activation is not None:
        kernel = unary_kernel(activation[0], result.dtype)
        if recorded and activation[2]:
            sums = new_like(result, result.dtype)
    if bias is not None and activation is None and sums.size >= FEW_SUMS and (
            (<TensorBase> weight).shape_[0] == 1):
        # A single column is multiplied as the row that it is, for which a bias is no vector.
        linear_into(sums, x, weight, None, kernel, result)
        binary_op(ADD, sums, bias, sums)
    else:
        linear_into(sums, x, weight, bias, kernel, result)
    if not recorded:
        return result
    reads_x = x if (<TensorBase> weight).requires_grad_flag else None
    reads_weight = weight if (<TensorBase> x).requires_grad_flag else None
    slopes = partial(gradients, reads_x, reads_weight, wants_bias)
    saved = without_none(reads_x, reads_weight)
    if activation is not None:
        # A view of the result: kept by its own gradient it would be a cycle.
        kept = sums if activation[2] else new_view(result, result.data, result.ndim,
                                                   result.shape_, result.strides_)
        activated = Activated.__new__(Activated)
        activated.gradients = slopes
        activated.slope = activation[1]
        activated.kept = kept
        slopes, saved = activated, (*saved, kept)
    return record_op("linear", result, (x, weight, bias), slopes, saved)
