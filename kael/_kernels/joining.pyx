"""Tensors joined along a dim: the rows of packed ones in one call, every other one by itself."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from kael._kernels.elementwise cimport copy_into
from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_MAX_DIMS, TensorBase, bytes_of, check_ndim, kl_itemsize, new_tensor, new_view, wrap_dim,
)
from kael._kernels.tensor import require_tensor

cdef extern from "kael/join.h" nogil:
    enum:
        KL_JOIN_ROW

    struct kl_joined:
        const char *data
        int64_t bytes

    struct kl_join:
        char *out
        int64_t row
        int64_t count
        const kl_joined *arrays

    int kl_join_run(const kl_runtime *rt, kl_join *job, int64_t rows)

cdef extern from * nogil:
    bint __builtin_add_overflow(int64_t a, int64_t b, int64_t *total)

# Up to so many bytes it costs more to release the GIL than to keep it.
cdef int64_t BRIEF_BYTES = 65536


cdef struct Place:
    # Where the arrays stand in the result; with `fresh` each is one index of a new dim.
    int dim
    bint fresh
    int ndim
    int64_t shape[KL_MAX_DIMS]
    int64_t rows         # of the dims before dim
    int64_t step         # elements of the result that one index of dim spans


cdef int64_t reach(TensorBase x, const Place *place) noexcept:
    """How many indices of the joined dim x takes."""
    return 1 if place.fresh else x.shape_[place.dim]


def cat(tensors, dim):
    """Tensors of one shape but for ``dim``, one after another along it, as a packed tensor."""
    return joined("cat", tensors, dim, False)


def stack(tensors, dim):
    """Tensors of one shape along a new dim, as a packed tensor."""
    return joined("stack", tensors, dim, True)


cdef TensorBase joined(str op, tuple tensors, object dim, bint fresh):
    cdef Place place
    cdef TensorBase first, out
    cdef int dtype = 0
    if not tensors:
        raise ValueError(f"{op}: at least one tensor is needed")
    for item in tensors:
        if not isinstance(item, TensorBase):
            require_tensor(op, *tensors)
        dtype = max(dtype, (<TensorBase> item).dtype)
    first = <TensorBase> tensors[0]
    place.fresh = fresh
    if fresh:
        check_alike(op, tensors, -1, dim)
        check_ndim(first.ndim + 1, op)
    place.dim = wrap_dim(dim, first.ndim + fresh, op)
    if not fresh:
        if first.ndim == 0:
            raise ValueError("cat: tensors of 0 dims cannot be joined; use stack")
        check_alike(op, tensors, place.dim, dim)
    lay_out(op, &place, tensors)
    out = new_tensor(dtype, place.ndim, place.shape)
    if out.size > 0:
        measure(&place)
        fill(op, out, tensors, &place)
    return out


cdef int check_alike(str op, tuple tensors, int at, object dim) except -1:
    """Raises unless all have one shape, but for dim `at`."""
    cdef TensorBase first = <TensorBase> tensors[0], x
    cdef bint same
    cdef int d
    for item in tensors:
        x = <TensorBase> item
        same = x.ndim == first.ndim
        for d in range(first.ndim):
            same = same and (d == at or x.shape_[d] == first.shape_[d])
        if not same:
            beside = f" beside dim {dim}" if at >= 0 else ""
            raise ValueError(f"{op}: shapes {first.shape} and {x.shape} differ{beside}")
    return 0


cdef int lay_out(str op, Place *place, tuple tensors) except -1:
    """The shape of the result."""
    cdef TensorBase first = <TensorBase> tensors[0]
    cdef int64_t *total = &place.shape[place.dim]
    cdef int d
    place.ndim = first.ndim + place.fresh
    for d in range(place.ndim):
        place.shape[d] = first.shape_[d - (place.fresh and d > place.dim)]
    total[0] = 0
    for item in tensors:
        if __builtin_add_overflow(total[0], reach(<TensorBase> item, place), total):
            raise ValueError(f"{op}: the sizes at dim {place.dim} do not fit in 64 bits")
    return 0


cdef void measure(Place *place) noexcept:
    """What the shape of a result with elements comes to."""
    cdef int d
    place.rows = 1
    place.step = 1
    for d in range(place.dim):
        place.rows *= place.shape[d]
    for d in range(place.dim + 1, place.ndim):
        place.step *= place.shape[d]


cdef int fill(str op, TensorBase out, tuple tensors, const Place *place) except -1:
    cdef const kl_runtime *rt = runtime()
    cdef kl_op profiled
    if rt.begin is NULL:
        return fill_plain(rt, op, out, tensors, place)
    rt.begin(&profiled)
    try:
        return fill_plain(rt, op, out, tensors, place)
    finally:
        end_op(&profiled, op, 2 * bytes_of(out), 0)


cdef int fill_plain(const kl_runtime *rt, str op, TensorBase out, tuple tensors,
                    const Place *place) except -1:
    cdef int64_t row = place.shape[place.dim] * place.step * kl_itemsize(out.dtype)
    cdef bint packed = row < KL_JOIN_ROW
    cdef TensorBase x
    for item in tensors:
        x = <TensorBase> item
        packed = packed and x.contiguous and x.dtype == out.dtype
    if packed:
        return fill_rows(rt, op, out, tensors, place, row)
    return fill_each(out, tensors, place)


cdef int fill_rows(const kl_runtime *rt, str op, TensorBase out, tuple tensors,
                   const Place *place, int64_t row) except -1:
    cdef kl_join job
    cdef kl_joined few[8]
    cdef kl_joined *arrays = few
    cdef Py_ssize_t k, count = len(tensors)
    cdef TensorBase x
    cdef int status
    if count > 8:
        arrays = <kl_joined *> malloc(count * sizeof(kl_joined))
        if arrays is NULL:
            raise MemoryError()
    for k in range(count):
        x = <TensorBase> tensors[k]
        arrays[k].data = x.data
        arrays[k].bytes = reach(x, place) * place.step * kl_itemsize(x.dtype)
    job.out = out.data
    job.row = row
    job.count = count
    job.arrays = arrays
    if place.rows * row <= BRIEF_BYTES:
        status = kl_join_run(rt, &job, place.rows)
    else:
        with nogil:
            status = kl_join_run(rt, &job, place.rows)
    if arrays != few:
        free(arrays)
    return check(status, op)


cdef int fill_each(TensorBase out, tuple tensors, const Place *place) except -1:
    """Each tensor, of any layout and dtype, into its part of the result."""
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int64_t strides[KL_MAX_DIMS]
    cdef char *data = out.data
    cdef TensorBase x
    cdef int d, to = 0
    for item in tensors:
        x = <TensorBase> item
        to = 0
        for d in range(out.ndim):
            if place.fresh and d == place.dim:
                continue
            shape[to] = x.shape_[to]
            strides[to] = out.strides_[d]
            to += 1
        copy_into(new_view(out, data, x.ndim, shape, strides), x)
        data += reach(x, place) * place.step * kl_itemsize(out.dtype)
    return 0
