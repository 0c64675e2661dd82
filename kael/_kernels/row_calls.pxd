"""What the binders of row kernels share: a call, its rows and its operands."""
from libc.stdint cimport int64_t

from kael._kernels.runtime cimport kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_f32, KL_MAX_DIMS, TensorBase, kl_is_float, new_tensor, same_shape,
)


cdef extern from "kael/rows/driver.h" nogil:
    enum:
        KL_ROW_X
        KL_ROW_Y
        KL_ROW_SLOPE
        KL_ROW_OUT
        KL_ROW_OPERANDS

    struct kl_row_operand:
        char *data
        int64_t size

    struct kl_rows:
        const kl_runtime *rt
        int64_t rows
        int64_t size
        int64_t itemsize
        int ndim
        int64_t shape[KL_MAX_DIMS]
        kl_row_operand operand[4]
        const int64_t *targets
        int64_t ignored
        int *skipped
        const void *weight
        const void *bias
        double eps
        int64_t height
        int64_t offset
        double *moments

    void kl_rows_begin(kl_rows *call, const kl_runtime *rt, int ndim, const int64_t *shape,
                       int first, int last)
    void kl_row_operand_set(kl_row_operand *operand, void *data, int ndim, const int64_t *strides,
                            int dim, int64_t size)


cdef inline void begin(kl_rows *call, TensorBase x, int first, int last) noexcept:
    """Rows of x along the dims first .. last, which must be one run in memory if several."""
    kl_rows_begin(call, runtime(), x.ndim, x.shape_, first, last)


cdef inline void operand(kl_rows *call, int which, TensorBase x, int dim) noexcept:
    """Operand whose rows lie along `dim`; -1 for one element a row."""
    cdef int64_t size = call.size if dim >= 0 else 1
    kl_row_operand_set(&call.operand[which], x.data, x.ndim, x.strides_, dim, size)


cdef inline int64_t bytes_of_rows(const kl_rows *call) noexcept:
    """Bytes of the operands, of targets, weight, bias and moments."""
    cdef int64_t elements = 0
    cdef int k
    for k in range(KL_ROW_OPERANDS):
        if call.operand[k].data is not NULL:
            elements += call.rows * call.operand[k].size
    elements += call.size * ((call.weight is not NULL) + (call.bias is not NULL))
    return elements * call.itemsize + 8 * call.rows * (
        (call.targets is not NULL) + 2 * (call.moments is not NULL))


cdef inline TensorBase one_a_row(kl_rows *call, int dtype):
    """A fresh tensor of the dims that number the rows."""
    return new_tensor(dtype, call.ndim, call.shape)


cdef inline void fill(TensorBase x, double value) noexcept:
    """Sets every element of a contiguous tensor of floats."""
    cdef int64_t i
    for i in range(x.size):
        if x.dtype == KL_DTYPE_f32:
            (<float *> x.data)[i] = <float> value
        else:
            (<double *> x.data)[i] = value


cdef inline int require_float(TensorBase x, str op) except -1:
    if not kl_is_float(x.dtype):
        raise TypeError(f"{op}: takes floating-point tensors, got {x.dtype_object.name}")
    return 0


cdef inline int require_like(TensorBase x, TensorBase y, str op) except -1:
    if y.dtype != x.dtype or not same_shape(x, y):
        raise ValueError(f"{op}: shapes or dtypes differ: {x.shape} and {y.shape}")
    return 0


cdef inline const void *vector(TensorBase v, TensorBase x, int64_t size, str op,
                               str name) except? NULL:
    """The elements of a weight or bias."""
    if v is None:
        return NULL
    if v.dtype != x.dtype:
        raise TypeError(f"{op}: dtypes differ: {name} is {v.dtype_object.name}, the input is "
                        f"{x.dtype_object.name}")
    if v.size != size or not v.contiguous:
        raise ValueError(f"{op}: {name} must be contiguous and of {size} elements, got shape "
                         f"{v.shape}")
    return v.data
