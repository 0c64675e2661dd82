"""The boundary of elementwise operations: shapes, dtypes, overlap; then the walk in C."""

from libc.stdint cimport int64_t

from kael._kernels.numbers cimport new_number
from kael._kernels.layout cimport kl_in_the_way, kl_strided, strided
from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_COUNT, KL_DTYPE_u8, KL_MAX_DIMS, TensorBase, begin_write, bytes_of,
    kl_aligned, kl_itemsize, new_like, new_tensor,
)

from kael.dtypes import by_code


cdef extern from "kael/elementwise.h" nogil:
    struct kl_operation:
        const char *name
        int64_t cost
        bint test

    const kl_operation kl_unary_operations[KL_UNARY_COUNT]
    const kl_operation kl_binary_operations[KL_BINARY_COUNT]

    struct kl_elementwise_kernels:
        kl_kernel unary[KL_UNARY_COUNT][KL_DTYPE_COUNT]
        kl_kernel binary[KL_BINARY_COUNT][KL_DTYPE_COUNT]
        kl_kernel where[KL_DTYPE_COUNT]
        kl_kernel clamp[KL_DTYPE_COUNT]
        kl_kernel convert[KL_DTYPE_COUNT][KL_DTYPE_COUNT]
        kl_kernel copy[2]

    const kl_elementwise_kernels *const *kl_elementwise_table

    struct kl_flat:
        kl_kernel kernel
        int operands
        char *data[4]
        int64_t itemsize[4]

    int kl_flat_run(const kl_runtime *rt, kl_flat *flat, int64_t size, int64_t cost)

    struct kl_walk:
        pass

    void kl_walk_begin(kl_walk *walk, kl_kernel kernel, int dims, const int64_t *shape)
    void kl_walk_add(kl_walk *walk, void *data, int64_t itemsize, int dims, const int64_t *shape,
                     const int64_t *strides)
    int64_t kl_walk_plan(kl_walk *walk)
    int kl_turned_dim(const kl_walk *walk)
    int kl_strided_run(const kl_runtime *rt, kl_walk *walk, int64_t size, int64_t cost)


# Up to so many additions it costs more to release the GIL than to keep it.
cdef int64_t BRIEF_WORK = 16384

# A transposed operand of that many elements that pieces do not suit is copied first: read in the
# order of the output it would miss the cache at every element.
cdef int64_t TURNED_SIZE = 65536

# Additions that where and clamp are worth, and a conversion.
cdef int64_t SELECT_COST = 2
cdef int64_t CONVERT_COST = 1

cdef tuple unary_names = tuple([each["name"].decode() for each in kl_unary_operations])
cdef tuple binary_names = tuple([each["name"].decode() for each in kl_binary_operations])


cdef inline str unary_name(int op):
    return <str> unary_names[op]

cdef inline str binary_name(int op):
    return <str> binary_names[op]


# ---- shapes and overlap ----

cdef inline bint flat_like(TensorBase x, TensorBase out) noexcept:
    """Whether element i of x in memory belongs to element i of out; x may be None."""
    return x is None or (x.contiguous and x.size == out.size
                         and kl_aligned(x.data, kl_itemsize(x.dtype)))


cdef int join_shape(str op, TensorBase x, int dims, int64_t *shape) except -1:
    """Broadcasts x into a shape of so many dims; returns the new number of dims."""
    cdef int missing = max(x.ndim - dims, 0), d
    cdef int64_t size
    for d in range(dims - 1, -1, -1):
        shape[missing + d] = shape[d]
    for d in range(missing):
        shape[d] = 1
    dims += missing
    missing = dims - x.ndim
    for d in range(x.ndim):
        size = x.shape_[d]
        if shape[missing + d] == 1:
            shape[missing + d] = size
        elif size != 1 and size != shape[missing + d]:
            raise ValueError(f"{op}: shapes {shape_tuple(shape, dims)} and {x.shape} do not "
                             "broadcast")
    return dims


cdef tuple shape_tuple(const int64_t *shape, int dims):
    return tuple([shape[d] for d in range(dims)])


cdef int check_output(str op, TensorBase out, int dtype, int dims, const int64_t *shape) except -1:
    """Raises unless out has the dtype and the shape; makes it ready to be written."""
    cdef int d
    cdef bint same = out.ndim == dims
    for d in range(dims):
        same = same and out.shape_[d] == shape[d]
    if not same:
        raise ValueError(f"{op}: the result has shape {shape_tuple(shape, dims)}, "
                         f"out has shape {out.shape}")
    if out.dtype != dtype:
        raise TypeError(f"{op}: the result has dtype {by_code(dtype).name}, "
                        f"out has {by_code(out.dtype).name}")
    begin_write(out, op)
    return 0


cdef TensorBase apart(TensorBase x, TensorBase out):
    """x, or a copy of it where writing out would change what is still to be read."""
    cdef kl_strided of_x = strided(x), of_out = strided(out)
    return packed_copy(x, x.dtype) if kl_in_the_way(&of_x, &of_out) else x


cdef TensorBase turned(TensorBase x, TensorBase out):
    """A packed copy of a large x that is contiguous along another dim than out; else x."""
    cdef int d
    if x is None or x.size != out.size or out.ndim != x.ndim:
        return x
    if x.strides_[x.ndim - 1] == 1 or out.strides_[out.ndim - 1] != 1:
        return x
    for d in range(x.ndim - 1):
        if x.strides_[d] == 1 and x.shape_[d] > 1:
            return packed_copy(x, x.dtype)
    return x


# ---- running a kernel ----

cdef inline void add_flat(kl_flat *flat, TensorBase x) noexcept:
    if x is not None:
        flat.data[flat.operands] = x.data
        flat.itemsize[flat.operands] = kl_itemsize(x.dtype)
        flat.operands += 1


cdef inline void add_operand(kl_walk *walk, TensorBase x) noexcept:
    if x is not None:
        kl_walk_add(walk, x.data, kl_itemsize(x.dtype), x.ndim, x.shape_, x.strides_)


cdef int run_flat(const kl_runtime *rt, kl_flat *flat, int64_t size, int64_t cost) noexcept:
    cdef int status
    if size * cost <= BRIEF_WORK:
        return kl_flat_run(rt, flat, size, cost)
    with nogil:
        status = kl_flat_run(rt, flat, size, cost)
    return status


cdef int64_t plan(kl_walk *walk, kl_kernel kernel, TensorBase out, TensorBase a, TensorBase b,
                  TensorBase c) noexcept:
    kl_walk_begin(walk, kernel, out.ndim, out.shape_)
    add_operand(walk, out)
    add_operand(walk, a)
    add_operand(walk, b)
    add_operand(walk, c)
    return kl_walk_plan(walk)


cdef inline int run(const kl_runtime *rt, kl_kernel kernel, str name, int64_t cost, TensorBase out,
                    TensorBase a, TensorBase b=None, TensorBase c=None) except -1:
    """Applies the kernel to operands that broadcast to the shape of out; returns the status."""
    if rt.begin is not NULL:
        return run_profiled(rt, kernel, name, cost, out, a, b, c)
    return run_plain(rt, kernel, cost, out, a, b, c)


cdef int run_profiled(const kl_runtime *rt, kl_kernel kernel, str name, int64_t cost,
                      TensorBase out, TensorBase a, TensorBase b, TensorBase c) except -1:
    """One operation per element, but for those that only move elements."""
    cdef kl_op op
    cdef int64_t flops = 0 if name == "copy" or name == "where" else out.size
    cdef int64_t nbytes = bytes_of(out) + bytes_of(a) + bytes_of(b) + bytes_of(c)
    rt.begin(&op)
    try:
        return run_plain(rt, kernel, cost, out, a, b, c)
    finally:
        end_op(&op, name, nbytes, flops)


cdef int run_plain(const kl_runtime *rt, kl_kernel kernel, int64_t cost, TensorBase out,
                   TensorBase a, TensorBase b, TensorBase c) except -1:
    cdef kl_flat flat
    if (kernel is NULL or not flat_like(out, out) or not flat_like(a, out)
            or not flat_like(b, out) or not flat_like(c, out)):
        return run_strided(rt, kernel, cost, out, a, b, c)
    flat.kernel = kernel
    flat.operands = 0
    add_flat(&flat, out)
    add_flat(&flat, a)
    add_flat(&flat, b)
    add_flat(&flat, c)
    return run_flat(rt, &flat, out.size, cost)


cdef int run_strided(const kl_runtime *rt, kl_kernel kernel, int64_t cost, TensorBase out,
                     TensorBase a, TensorBase b, TensorBase c) except -1:
    cdef kl_walk walk
    cdef int status
    cdef int64_t size = plan(&walk, kernel, out, a, b, c)
    if kernel is not NULL and size >= TURNED_SIZE and kl_turned_dim(&walk) < 0:
        a = turned(a, out)
        b = turned(b, out)
        plan(&walk, kernel, out, a, b, c)
    if size * cost <= BRIEF_WORK:
        return kl_strided_run(rt, &walk, size, cost)
    with nogil:
        status = kl_strided_run(rt, &walk, size, cost)
    return status


# ---- operations ----

cdef kl_kernel unary_kernel(int op, int dtype) noexcept:
    return kl_elementwise_table[runtime().isa].unary[op][dtype]


cdef TensorBase unary_op(int op, TensorBase x, TensorBase out):
    cdef const kl_runtime *rt = runtime()
    cdef kl_kernel kernel = kl_elementwise_table[rt.isa].unary[op][x.dtype]
    cdef int dtype = KL_DTYPE_bool if kl_unary_operations[op].test else x.dtype
    if kernel is NULL:
        raise TypeError(f"{unary_name(op)}: {by_code(x.dtype).name} is not supported")
    if out is None:
        out = new_like(x, dtype)
    else:
        check_output(unary_name(op), out, dtype, x.ndim, x.shape_)
        x = apart(x, out)
    cdef int status = run(rt, kernel, unary_name(op), kl_unary_operations[op].cost, out, x)
    if status:
        check(status, unary_name(op))
    return out


cdef TensorBase binary_op(int op, TensorBase a, TensorBase b, TensorBase out):
    cdef const kl_runtime *rt = runtime()
    cdef kl_kernel kernel = kl_elementwise_table[rt.isa].binary[op][a.dtype]
    cdef int dtype = KL_DTYPE_bool if kl_binary_operations[op].test else a.dtype
    cdef int dims
    cdef int64_t shape[KL_MAX_DIMS]
    if kernel is NULL or a.dtype != b.dtype:
        refuse_dtypes(op, a, b)
    dims = join_shape(binary_name(op), b, join_shape(binary_name(op), a, 0, shape), shape)
    if out is None:
        out = new_tensor(dtype, dims, shape)
    else:
        check_output(binary_name(op), out, dtype, dims, shape)
        a = apart(a, out)
        b = apart(b, out)
    cdef int status = run(rt, kernel, binary_name(op), kl_binary_operations[op].cost, out, a, b)
    if status:
        check(status, binary_name(op))
    return out


cdef object refuse_dtypes(int op, TensorBase a, TensorBase b):
    if a.dtype != b.dtype:
        raise TypeError(f"{binary_name(op)}: dtypes differ: {by_code(a.dtype).name} and "
                        f"{by_code(b.dtype).name}")
    raise TypeError(f"{binary_name(op)}: {by_code(a.dtype).name} is not supported")


cdef TensorBase packed_copy(TensorBase x, int dtype):
    cdef TensorBase out = new_like(x, dtype)
    copy_elements(out, x)
    return out


cdef int copy_elements(TensorBase out, TensorBase x) except -1:
    """Copies x, which broadcasts to out and does not overlap it."""
    cdef const kl_runtime *rt = runtime()
    cdef const kl_elementwise_kernels *kernels = kl_elementwise_table[rt.isa]
    cdef kl_kernel kernel = kernels.convert[x.dtype][out.dtype]
    if x.dtype == out.dtype and not (flat_like(out, out) and flat_like(x, out)):
        kernel = NULL
    elif x.dtype == out.dtype and x.dtype > KL_DTYPE_u8:
        kernel = kernels.copy[kl_itemsize(x.dtype) == 8]
    return check(run(rt, kernel, "copy", CONVERT_COST, out, x), "copy")


cdef int copy_into(TensorBase target, TensorBase source) except -1:
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int dims = join_shape("copy_", source, join_shape("copy_", target, 0, shape), shape)
    check_output("copy_", target, target.dtype, dims, shape)
    return copy_elements(target, apart(source, target))


cdef TensorBase as_contiguous(TensorBase x):
    if x.contiguous and kl_aligned(x.data, kl_itemsize(x.dtype)):
        return x
    return packed_copy(x, x.dtype)


# ---- for Python ----

cdef tuple accepted(const kl_kernel *row):
    return tuple([code for code in range(KL_DTYPE_COUNT) if row[code] is not NULL])


UNARY = {name: op for op, name in enumerate(unary_names)}
BINARY = {name: op for op, name in enumerate(binary_names)}


def unary_dtypes(int op):
    """Codes of the dtypes that the operation takes."""
    return accepted(kl_elementwise_table[0].unary[op])


def binary_dtypes(int op):
    """Codes of the dtypes that the operation takes."""
    return accepted(kl_elementwise_table[0].binary[op])


def unary(int op, TensorBase x not None, TensorBase out=None):
    """op of each element of x."""
    return unary_op(op, x, out)


def binary(int op, TensorBase a not None, TensorBase b not None, TensorBase out=None):
    """op of the elements of a and b, which broadcast and have one dtype."""
    return binary_op(op, a, b, out)


def where(TensorBase condition not None, TensorBase a not None, TensorBase b not None,
          TensorBase out=None):
    """Elements of a where condition (bool) is true, of b elsewhere; all three broadcast."""
    cdef const kl_runtime *rt = runtime()
    if condition.dtype != KL_DTYPE_bool:
        raise TypeError(f"where: condition must be bool, got {by_code(condition.dtype).name}")
    return ternary("where", rt, kl_elementwise_table[rt.isa].where, condition, a, b, a.dtype,
                   b.dtype, out)


def clamp(TensorBase x not None, TensorBase low not None, TensorBase high not None,
          TensorBase out=None):
    """min(max(x, low), high); NaN in any of them wins."""
    cdef const kl_runtime *rt = runtime()
    if x.dtype != low.dtype:
        raise TypeError(f"clamp: dtypes differ: {by_code(x.dtype).name} and "
                        f"{by_code(low.dtype).name}")
    return ternary("clamp", rt, kl_elementwise_table[rt.isa].clamp, x, low, high, low.dtype,
                   high.dtype, out)


cdef TensorBase ternary(str op, const kl_runtime *rt, const kl_kernel *kernels, TensorBase x,
                        TensorBase a, TensorBase b, int dtype, int other, TensorBase out):
    cdef int64_t shape[KL_MAX_DIMS]
    if dtype != other:
        raise TypeError(f"{op}: dtypes differ: {by_code(dtype).name} and {by_code(other).name}")
    if kernels[dtype] is NULL:
        raise TypeError(f"{op}: {by_code(dtype).name} is not supported")
    cdef int dims = join_shape(op, b, join_shape(op, a, join_shape(op, x, 0, shape), shape), shape)
    if out is None:
        out = new_tensor(dtype, dims, shape)
    else:
        check_output(op, out, dtype, dims, shape)
        x = apart(x, out)
        a = apart(a, out)
        b = apart(b, out)
    check(run(rt, kernels[dtype], op, SELECT_COST, out, x, a, b), op)
    return out


def convert(TensorBase x not None, int code):
    """A fresh contiguous tensor of another dtype (numerics R9), or of the same."""
    return packed_copy(x, code)


def copy_(TensorBase target not None, TensorBase source not None):
    """Broadcasts and converts source into target, right on overlap; returns target."""
    copy_into(target, source)
    return target


def fill_(TensorBase target not None, value):
    """Sets every element to a number; returns target."""
    copy_into(target, new_number(target.dtype, value))
    return target


def contiguous(TensorBase x not None):
    """x itself when contiguous and aligned to its itemsize, else a packed copy."""
    return as_contiguous(x)
