"""Views: another shape and other strides on the same storage. Nothing here touches an element."""

from cpython.bool cimport PyBool_Check
from cpython.long cimport PyLong_Check
from cpython.slice cimport PySlice_AdjustIndices, PySlice_Check, PySlice_Unpack
from libc.stdint cimport int64_t, uint64_t

from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_MAX_DIMS, TensorBase, check_ndim, kl_is_float, kl_itemsize, kl_pack_strides,
    new_view, read_shape, wrap_dim,
)
from kael._kernels.tensor import require_tensor

cdef extern from * nogil:
    bint __builtin_mul_overflow(int64_t a, int64_t b, int64_t *product)


cdef struct Layout:
    # What a view is made of; `moved` counts elements from the base's first one.
    int ndim
    int64_t moved
    int64_t shape[KL_MAX_DIMS]
    int64_t strides[KL_MAX_DIMS]


cdef TensorBase view_of(TensorBase self, Layout *layout):
    # A pointer is only moved where there are elements: an empty tensor may have none at all.
    cdef char *data = self.data
    if self.size > 0:
        data += layout.moved * kl_itemsize(self.dtype)
    return new_view(self, data, layout.ndim, layout.shape, layout.strides)


cdef int push(Layout *layout, int64_t size, int64_t stride) except -1:
    check_ndim(layout.ndim + 1, "a view")
    layout.shape[layout.ndim] = size
    layout.strides[layout.ndim] = stride
    layout.ndim += 1
    return 0


# Sums and products that fit wherever there are elements. A tensor without any may have strides of
# any size, which nothing follows: they wrap.

cdef inline int64_t ahead(int64_t a, int64_t b) noexcept:
    return <int64_t> (<uint64_t> a + <uint64_t> b)


cdef inline int64_t steps(int64_t stride, int64_t count) noexcept:
    return <int64_t> (<uint64_t> stride * <uint64_t> count)


# --- basic indexing ------------------------------------------------------------------------------

cdef bint is_integer(object item):
    """Whether an index item selects one position: an int, or something 0-d that converts to one."""
    if PyLong_Check(item):
        return not PyBool_Check(item)
    if isinstance(item, TensorBase):
        return (<TensorBase> item).ndim == 0 and not kl_is_float((<TensorBase> item).dtype) \
            and (<TensorBase> item).dtype != KL_DTYPE_bool
    if not hasattr(item, "__index__"):
        return False
    return getattr(item, "shape", ()) == () and getattr(item, "dtype", None) != "bool"


cdef int take_position(TensorBase self, Layout *layout, int d, object item) except -1:
    cdef int64_t size = self.shape_[d]
    cdef int64_t at
    try:
        at = item
    except OverflowError:
        at = size
    if at < -size or at >= size:
        raise IndexError(f"index {item} is out of bounds for dim {d} with size {size}")
    layout.moved = ahead(layout.moved, steps(self.strides_[d], at + size if at < 0 else at))
    return 0


cdef int take_slice(TensorBase self, Layout *layout, int d, object item) except -1:
    cdef Py_ssize_t start, stop, step, length
    PySlice_Unpack(item, &start, &stop, &step)
    length = PySlice_AdjustIndices(self.shape_[d], &start, &stop, step)
    # The stride of a dim of one element is never used, and start + step could overflow.
    push(layout, length, steps(self.strides_[d], step) if length > 1 else self.strides_[d])
    if length > 0:
        layout.moved = ahead(layout.moved, steps(self.strides_[d], start))
    return 0


cdef int count_taken(tuple items) except -2:
    """Dims that the items consume; -1 when one of them is a mask, an array or unknown."""
    cdef int taken = 0
    cdef bint dots = False
    for item in items:
        if item is None:
            continue
        if item is Ellipsis:
            if dots:
                raise IndexError("an index can only have a single ellipsis ('...')")
            dots = True
        elif PySlice_Check(item) or is_integer(item):
            taken += 1
        else:
            return -1
    return taken


cdef int check_taken(TensorBase self, int taken) except -1:
    if taken > self.ndim:
        raise IndexError(
            f"too many indices: the tensor has {self.ndim} dims, but {taken} were indexed")
    return 0


cdef TensorBase index_view(TensorBase self, object index):
    cdef Layout layout
    cdef tuple items = index if isinstance(index, tuple) else (index,)
    cdef int d = 0, taken = count_taken(items)
    if taken < 0:
        return None
    check_taken(self, taken)
    layout.ndim = 0
    layout.moved = 0
    for item in items:
        if item is None:
            push(&layout, 1, 0)
        elif item is Ellipsis:
            while d < self.ndim - taken:
                push(&layout, self.shape_[d], self.strides_[d])
                d += 1
            taken = self.ndim   # the rest of the items lie behind the ellipsis
            continue
        elif PySlice_Check(item):
            take_slice(self, &layout, d, item)
            d += 1
            taken -= 1
        else:
            take_position(self, &layout, d, item)
            d += 1
            taken -= 1
    while d < self.ndim:
        push(&layout, self.shape_[d], self.strides_[d])
        d += 1
    return view_of(self, &layout)


# --- shapes --------------------------------------------------------------------------------------

cdef int infer_sizes(TensorBase self, object sizes, Layout *layout, str op) except -1:
    """Reads sizes, one of which may be -1, for as many elements as self has."""
    cdef int d, unknown = -1
    cdef int64_t known = 1
    cdef bint overflow = False
    layout.ndim = read_shape(sizes, layout.shape, op)
    for d in range(layout.ndim):
        if layout.shape[d] == -1:
            if unknown >= 0:
                raise ValueError(f"{op}: only one size can be -1, got {tuple(sizes)}")
            unknown = d
        elif layout.shape[d] < 0:
            raise ValueError(f"{op}: negative size {layout.shape[d]} at dim {d}")
        elif layout.shape[d] == 0 or not overflow:
            overflow = __builtin_mul_overflow(known, layout.shape[d], &known)
    if unknown >= 0 and known > 0 and not overflow and self.size % known == 0:
        layout.shape[unknown] = self.size // known
        known = self.size
    if overflow or known != self.size or (unknown >= 0 and layout.shape[unknown] < 0):
        raise ValueError(f"{op}: shape {tuple(sizes) if layout.ndim != 1 else sizes} is invalid "
                         f"for {self.size} elements")
    return 0


cdef bint stretch_strides(TensorBase self, Layout *layout) noexcept:
    """Strides of the new shape on the old memory; False when there are none.

    Runs of old dims that step through memory evenly are one long dim; the new dims must cut each
    run exactly, from the last to the first.
    """
    cdef int d, new = layout.ndim - 1
    cdef int64_t run = 1, cut = 1, stride = self.strides_[self.ndim - 1]
    for d in range(self.ndim - 1, -1, -1):
        run *= self.shape_[d]
        if d > 0 and (self.shape_[d - 1] == 1 or self.strides_[d - 1] == run * stride):
            continue
        while new >= 0 and (cut < run or layout.shape[new] == 1):
            layout.strides[new] = cut * stride
            cut *= layout.shape[new]
            new -= 1
        if cut != run:
            return False
        if d > 0:
            stride = self.strides_[d - 1]
            run = 1
            cut = 1
    return new == -1


cdef TensorBase reshape_view(TensorBase self, object sizes, str op):
    cdef Layout layout
    cdef int64_t size
    layout.moved = 0
    infer_sizes(self, sizes, &layout, op)
    if self.contiguous:
        kl_pack_strides(layout.ndim, layout.shape, layout.strides, &size)
    elif not stretch_strides(self, &layout):
        return None
    return view_of(self, &layout)


cdef TensorBase permute_view(TensorBase self, object dims):
    cdef Layout layout
    cdef int d, source
    cdef int seen = 0
    dims = tuple(dims)
    if len(dims) != self.ndim:
        raise ValueError(f"permute: {self.ndim} dims are needed, got {dims}")
    layout.ndim = self.ndim
    layout.moved = 0
    for d in range(self.ndim):
        source = wrap_dim(dims[d], self.ndim, "permute")
        if seen >> source & 1:
            raise ValueError(f"permute: dim {source} is repeated in {dims}")
        seen |= 1 << source
        layout.shape[d] = self.shape_[source]
        layout.strides[d] = self.strides_[source]
    return view_of(self, &layout)


cdef TensorBase transpose_view(TensorBase self, int a, int b):
    cdef Layout layout
    cdef int d
    layout.ndim = self.ndim
    layout.moved = 0
    for d in range(self.ndim):
        layout.shape[d] = self.shape_[d]
        layout.strides[d] = self.strides_[d]
    if self.ndim > 0:
        layout.shape[a] = self.shape_[b]
        layout.strides[a] = self.strides_[b]
        layout.shape[b] = self.shape_[a]
        layout.strides[b] = self.strides_[a]
    return view_of(self, &layout)


cdef TensorBase diagonal_view(TensorBase self, object offset, int a, int b):
    """The elements whose index along dim b is that along dim a plus offset, as the last dim."""
    cdef Layout layout
    cdef int d
    cdef int64_t below = max(-offset, 0), right = max(offset, 0), size
    layout.ndim = 0
    layout.moved = 0
    for d in range(self.ndim):
        if d != a and d != b:
            push(&layout, self.shape_[d], self.strides_[d])
    size = max(min(self.shape_[a] - below, self.shape_[b] - right), <int64_t> 0)
    push(&layout, size, ahead(self.strides_[a], self.strides_[b]))
    if size > 0:
        layout.moved = ahead(steps(self.strides_[a], below), steps(self.strides_[b], right))
    return view_of(self, &layout)


cdef TensorBase expand_view(TensorBase self, object sizes, str op):
    cdef Layout layout
    cdef int d, source
    cdef int64_t total = 1
    cdef bint overflow = False, empty = False
    layout.moved = 0
    layout.ndim = read_shape(sizes, layout.shape, op)
    if layout.ndim < self.ndim:
        raise ValueError(f"{op}: {layout.ndim} sizes for {self.ndim} dims")
    for d in range(layout.ndim):
        source = d - (layout.ndim - self.ndim)
        layout.strides[d] = 0
        if source >= 0 and layout.shape[d] in (-1, self.shape_[source]):
            layout.shape[d] = self.shape_[source]
            layout.strides[d] = self.strides_[source]
        elif layout.shape[d] < 0 or (source >= 0 and self.shape_[source] != 1):
            raise ValueError(f"{op}: shape {self.shape} does not expand to {tuple(sizes)}")
        empty = empty or layout.shape[d] == 0
        overflow = overflow or __builtin_mul_overflow(total, max(layout.shape[d], 1), &total)
    if not empty and (overflow or total > (<int64_t> 1 << 62) // kl_itemsize(self.dtype)):
        raise ValueError(f"{op}: {tuple(sizes)} has too many elements")
    return view_of(self, &layout)


# --- the same for kael.ops ------------------------------------------------------------------------

def basic_index(TensorBase self not None, index):
    """``self[index]`` for ints, slices, None and Ellipsis; None for any other index."""
    return index_view(self, index)


def reshape(TensorBase self not None, sizes, str op):
    """The view of another shape, or None when only a copy has it."""
    return reshape_view(self, sizes, op)


def permute(TensorBase self not None, dims):
    """Dim d of the view is dim ``dims[d]`` of self."""
    return permute_view(self, dims)


def transpose(TensorBase self not None, a, b):
    """Two dims exchanged."""
    return transpose_view(self, wrap_dim(a, self.ndim, "transpose"),
                          wrap_dim(b, self.ndim, "transpose"))


def diagonal(TensorBase self not None, offset, dim1, dim2):
    """The elements with index i along dim1 and i + offset along dim2, i being the last dim."""
    cdef int a = wrap_dim(dim1, self.ndim, "diagonal")
    cdef int b = wrap_dim(dim2, self.ndim, "diagonal")
    if a == b:
        raise ValueError(f"diagonal: dim1 {dim1} and dim2 {dim2} are the same dim")
    return diagonal_view(self, offset, a, b)


def expand(TensorBase self not None, sizes, str op="expand"):
    """Dims of size 1, and new leading dims, repeated without copying; -1 keeps a size."""
    return expand_view(self, sizes, op)


def dim(self):
    """Number of dims.

    Returns
    -------
    int
    """
    return tensor_for("dim", self).ndim


def size(self, dim=None):
    """The shape, or the size of one dim.

    Parameters
    ----------
    dim : int, optional
        IndexError if there is no such dim.

    Returns
    -------
    tuple of int, or int
    """
    cdef TensorBase x = tensor_for("size", self)
    return x.shape if dim is None else x.shape_[wrap_dim(dim, x.ndim, "size")]


cdef TensorBase tensor_for(str op, object self):
    if not isinstance(self, TensorBase):
        require_tensor(op, self)
    return <TensorBase> self


def normalize_dim(dim, int ndim, str op):
    """``dim`` counted from the front; IndexError when there is no such dim."""
    return wrap_dim(dim, ndim, op)
