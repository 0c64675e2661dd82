"""Indexing with arrays and masks, brought to row numbers and then to copies of rows."""

from libc.stdint cimport int64_t

from kael._kernels.runtime cimport KL_INDEX_RANGE, check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_i64, KL_MAX_DIMS, TensorBase, begin_write, bytes_of, kl_aligned,
    kl_itemsize, new_tensor, same_shape,
)

cdef extern from "kael/indexing.h" nogil:
    int kl_take_rows(const kl_runtime *rt, char *out, const char *source, const int64_t *positions,
                     int64_t count, int64_t row_bytes)
    struct kl_lookup:
        char *out
        const char *source
        const int64_t *indices
        int64_t least
        int64_t size
        int64_t row_bytes

    int kl_lookup_rows(const kl_runtime *rt, kl_lookup *job, int64_t count)
    void kl_put_rows(char *out, const char *source, const int64_t *positions, int64_t count,
                     int64_t row_bytes)
    int kl_add_rows(const kl_runtime *rt, int dtype, char *out, const char *source,
                    const int64_t *positions, int64_t count, int64_t width)


# Up to so many bytes it costs more to release the GIL than to keep it.
cdef int64_t BRIEF_BYTES = 16384


cdef int64_t width_of(TensorBase table, int lead) noexcept nogil:
    """Elements of a row: the product of the sizes behind the first `lead` dims."""
    cdef int64_t width = 1
    cdef int d
    for d in range(lead, table.ndim):
        width *= table.shape_[d]
    return width


def nonzero(TensorBase mask not None):
    """The indices of the true elements of a packed bool tensor: one int64 tensor per dim."""
    assert mask.dtype == KL_DTYPE_bool and mask.contiguous
    cdef int64_t i, room, count = 0
    cdef int64_t at[KL_MAX_DIMS]
    cdef int64_t *columns[KL_MAX_DIMS]
    cdef int d
    cdef const char *data = mask.data
    with nogil:
        for i in range(mask.size):
            count += data[i] != 0
    found = [new_tensor(KL_DTYPE_i64, 1, &count) for _ in range(mask.ndim)]
    for d in range(mask.ndim):
        columns[d] = <int64_t *> (<TensorBase> found[d]).data
        at[d] = 0
    room = count
    with nogil:
        count = 0
        for i in range(mask.size):
            # Another thread may be writing to the mask.
            if data[i] != 0 and count < room:
                for d in range(mask.ndim):
                    columns[d][count] = at[d]
                count += 1
            advance(at, mask.shape_, mask.ndim)
    return found


cdef inline void advance(int64_t *at, const int64_t *shape, int ndim) noexcept nogil:
    """The next index in row-major order."""
    cdef int d
    for d in range(ndim - 1, -1, -1):
        at[d] += 1
        if at[d] < shape[d]:
            return
        at[d] = 0


def positions(list indices, sizes, dims):
    """Row numbers from one packed int64 tensor per leading dim, all of one shape.

    IndexError for an index outside of its size; negative ones count from the end. ``dims`` are the
    dims' numbers for that message.
    """
    cdef TensorBase first = indices[0]
    cdef TensorBase out = new_tensor(KL_DTYPE_i64, first.ndim, first.shape_)
    cdef TensorBase index
    cdef int64_t *to = <int64_t *> out.data
    cdef const int64_t *given
    cdef int64_t i, at, size, bad
    cdef bint fresh = True
    # sizes may have more: those of the dims behind the leading ones.
    for index, size, dim in zip(indices, sizes, dims):
        assert index.dtype == KL_DTYPE_i64 and index.contiguous and same_shape(index, out)
        given = <const int64_t *> index.data
        bad = -1
        with nogil:
            for i in range(out.size):
                at = given[i]
                if at < -size or at >= size:
                    bad = i
                    break
                if at < 0:
                    at += size
                to[i] = at if fresh else to[i] * size + at
        if bad >= 0:
            raise IndexError(f"index {given[bad]} is out of bounds for dim {dim} with size {size}")
        fresh = False
    return out


def positions_along(TensorBase index not None, shape, int dim, str op):
    """Element numbers in a packed tensor of ``shape`` for gather along ``dim``."""
    assert index.dtype == KL_DTYPE_i64 and index.contiguous
    cdef TensorBase out = new_tensor(KL_DTYPE_i64, index.ndim, index.shape_)
    cdef int64_t at[KL_MAX_DIMS]
    cdef int64_t sizes[KL_MAX_DIMS]
    cdef const int64_t *given = <const int64_t *> index.data
    cdef int64_t *to = <int64_t *> out.data
    cdef int64_t i, chosen, position, bad = -1
    cdef int d
    for d in range(index.ndim):
        sizes[d] = shape[d]
        at[d] = 0
    with nogil:
        for i in range(index.size):
            chosen = given[i]
            if chosen < -sizes[dim] or chosen >= sizes[dim]:
                bad = i
                break
            if chosen < 0:
                chosen += sizes[dim]
            position = 0
            for d in range(index.ndim):
                position = position * sizes[d] + (chosen if d == dim else at[d])
            to[i] = position
            advance(at, index.shape_, index.ndim)
    if bad >= 0:
        raise IndexError(
            f"{op}: index {given[bad]} is out of bounds for dim {dim} with size {sizes[dim]}")
    return out


def take(TensorBase table not None, TensorBase rows not None, int lead):
    """``table``, its first ``lead`` dims as one, at the row numbers ``rows`` (any shape)."""
    assert table.contiguous and rows.contiguous and rows.dtype == KL_DTYPE_i64
    cdef const kl_runtime *rt = runtime()
    cdef int64_t shape[2 * KL_MAX_DIMS]
    cdef int64_t row_bytes = width_of(table, lead) * kl_itemsize(table.dtype)
    cdef int d, status
    for d in range(rows.ndim):
        shape[d] = rows.shape_[d]
    for d in range(lead, table.ndim):
        shape[rows.ndim + d - lead] = table.shape_[d]
    cdef TensorBase out = new_tensor(table.dtype, rows.ndim + table.ndim - lead, shape)
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = kl_take_rows(rt, out.data, table.data, <const int64_t *> rows.data, rows.size,
                              row_bytes)
    if rt.begin is not NULL:
        end_op(&profiled, "take", bytes_of(rows) + 2 * bytes_of(out), 0)
    check(status, "take")
    return out


cdef TensorBase look_up(TensorBase table, TensorBase index, bint backward):
    """See rows_at; None also for a table without elements, and unless `backward` for an index
    below 0 or beyond the table."""
    cdef int64_t shape[2 * KL_MAX_DIMS]
    cdef const kl_runtime *rt = runtime()
    cdef kl_lookup job
    cdef kl_op profiled
    cdef TensorBase out
    cdef int d, status
    if (index.dtype != KL_DTYPE_i64 or not index.contiguous or not kl_aligned(index.data, 8)
            or not table.contiguous or table.ndim == 0 or table.size == 0 or index.size == 0):
        return None
    for d in range(index.ndim):
        shape[d] = index.shape_[d]
    for d in range(1, table.ndim):
        shape[index.ndim + d - 1] = table.shape_[d]
    out = new_tensor(table.dtype, index.ndim + table.ndim - 1, shape)
    job.out = out.data
    job.source = table.data
    job.indices = <const int64_t *> index.data
    job.size = table.shape_[0]
    job.least = -job.size if backward else 0
    job.row_bytes = width_of(table, 1) * kl_itemsize(table.dtype)
    if rt.begin is not NULL:
        rt.begin(&profiled)
    if index.size * (job.row_bytes + 8) <= BRIEF_BYTES:
        status = kl_lookup_rows(rt, &job, index.size)
    else:
        with nogil:
            status = kl_lookup_rows(rt, &job, index.size)
    if rt.begin is not NULL:
        end_op(&profiled, "take", bytes_of(index) + 2 * bytes_of(out), 0)
    if status == KL_INDEX_RANGE:
        if backward:
            positions([index], [job.size], [0])  # raises in the name of the first
        return None
    check(status, "take")
    return out


cdef TensorBase rows_at(TensorBase table, TensorBase index):
    return look_up(table, index, True)


def lookup(TensorBase table not None, TensorBase index not None):
    """``table[index]`` for a packed table and a packed index of int64, all of whose numbers are
    rows counted from the start; None otherwise."""
    return look_up(table, index, False)


def put(TensorBase table not None, TensorBase rows not None, TensorBase values not None, int lead):
    """Writes one row of ``values`` to each row number; of equal numbers the last stays."""
    assert table.contiguous and rows.contiguous and values.contiguous
    assert table.dtype == values.dtype and rows.dtype == KL_DTYPE_i64
    cdef int64_t row_bytes = width_of(table, lead) * kl_itemsize(table.dtype)
    begin_write(table, "setitem")
    with nogil:
        kl_put_rows(table.data, values.data, <const int64_t *> rows.data, rows.size, row_bytes)


def add(TensorBase table not None, TensorBase rows not None, TensorBase values not None, int lead):
    """Adds one row of ``values`` to each row number of a float table, in order."""
    assert table.contiguous and rows.contiguous and values.contiguous
    assert table.dtype == values.dtype and rows.dtype == KL_DTYPE_i64
    cdef const kl_runtime *rt = runtime()
    cdef int status
    begin_write(table, "index_add")
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = kl_add_rows(rt, table.dtype, table.data, values.data, <const int64_t *> rows.data,
                             rows.size, width_of(table, lead))
    if rt.begin is not NULL:
        end_op(&profiled, "index_add", bytes_of(rows) + 3 * bytes_of(values), values.size)
    check(status, "add")
