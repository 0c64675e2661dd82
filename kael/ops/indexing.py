"""Reading and writing parts of a tensor.

An index with masks or integer arrays is split in two: its slices, None and ``...`` make a view;
then the dims that arrays select from are moved to the front and become row numbers of a table.
The rules of shape are NumPy's.
"""

from kael._kernels import elementwise, graph, views
from kael._kernels import indexing as kernels
from kael._kernels.creation import zeros
from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase
from kael.autograd import needs_grad, record
from kael.dtypes import bool_, int64
from kael.interop import from_data
from kael.ops.conversion import source_for, to
from kael.ops.shape import broadcast_shapes, permute, unbroadcast

__all__ = ["getitem", "setitem", "take"]


def getitem(x, index):
    """``x[index]``: a view for ints, slices, None and ``...``; a copy for masks and arrays."""
    out = views.basic_index(x, index)
    if out is not None:
        return _record_view(x, index, out)
    if not isinstance(index, tuple):
        index = _item(index)
        rows = _rows(x.shape, index)
        if rows is not None:
            return take(x, rows, index.ndim if index.dtype is bool_ else 1)
    plan = _Plan(x, index)
    view = views.basic_index(x, plan.basic)
    table = permute(_record_view(x, plan.basic, view), plan.order)
    return permute(take(table, plan.rows(), plan.lead), plan.result_order())


def _rows(shape, index):
    """The row numbers that one array of indices, or one mask, means by itself; else None."""
    if index.ndim == 0 or not shape:
        return None
    if index.dtype is not bool_:
        return kernels.positions([elementwise.contiguous(index)], shape[:1], (0,))
    lead = index.ndim
    if index.shape != shape[:lead]:
        return None
    return kernels.positions(kernels.nonzero(elementwise.contiguous(index)), shape, range(lead))


def _record_view(x, index, out):
    shape, code = x.shape, x.dtype_code

    def gradient(g):
        whole = zeros(shape, code)
        elementwise.copy_(views.basic_index(whole, index), g)
        return (whole,)

    return record("getitem", out, (x,), gradient)


def take(table, rows, lead):
    """Rows of a table whose first ``lead`` dims count as one."""
    shape, code = table.shape, table.dtype_code
    out = kernels.take(elementwise.contiguous(table), rows, lead)

    def gradient(g):
        whole = zeros(shape, code)
        kernels.add(whole, rows, elementwise.contiguous(g), lead)
        return (whole,)

    return record("index", out, (table,), gradient)


def setitem(x, index, value):
    """``x[index] = value``, broadcast and converted; right where the memories overlap.

    Where an integer array names an element twice, the last value stays.
    """
    value = source_for("setitem", x, value)
    recorded = needs_grad(x, value)
    if recorded:
        graph.begin_in_place(x, "setitem")
    _assign(x, index, value.detach() if recorded else value)
    if not recorded:
        return
    shape, dtype = value.shape, value.dtype

    def gradient(g):
        kept = elementwise.convert(g, g.dtype_code)
        _assign(kept, index, number(0, g.dtype_code))
        return kept, to(unbroadcast(getitem(g, index), shape), dtype)

    record("setitem", x, (x, value), gradient)


def _assign(x, index, value):
    view = views.basic_index(x, index)
    if view is not None:
        value = _trimmed(value, view.ndim)
        try:
            elementwise.copy_(view, value)
        except ValueError:
            raise ValueError(
                f"setitem: a value of shape {value.shape} does not broadcast to {view.shape}"
            ) from None
        return
    plan = _Plan(x, index)
    table = views.permute(views.basic_index(x, plan.basic), plan.order)
    rows = plan.rows()
    order = plan.result_order()
    shape = [*rows.shape, *table.shape[plan.lead :]]
    wide = views.expand(_trimmed(value, len(shape)), [shape[d] for d in order], "setitem")
    back = [order.index(d) for d in range(len(order))]
    # A copy of its own: the value may lie in the memory that is written.
    values = elementwise.convert(views.permute(wide, back), x.dtype_code)
    packed = elementwise.contiguous(table)
    kernels.put(packed, rows, values, plan.lead)
    if packed is not table:
        elementwise.copy_(table, packed)


def _trimmed(value, ndim):
    """NumPy drops leading dims of size 1 that the target does not have."""
    while value.ndim > ndim and value.shape[0] == 1:
        value = views.basic_index(value, 0)
    return value


class _Plan:
    """An index with masks or integer arrays, taken apart.

    Attributes
    ----------
    basic : tuple
        The index without its arrays: what they select from stays whole.
    arrays : list of Tensor
        int64, one per dim selected from, all of one shape.
    order : list of int
        Dims of the basic view, those selected from first.
    lead : int
        Number of arrays.
    place : int
        Where the arrays' dims stand in the result.
    """

    def __init__(self, x, index):
        items = [_item(item) for item in (index if isinstance(index, tuple) else (index,))]
        taken = sum(_dims_taken(item) for item in items)
        if taken > x.ndim:
            raise IndexError(
                f"too many indices: the tensor has {x.ndim} dims, but {taken} were indexed"
            )
        dots = sum(item is Ellipsis for item in items)
        if dots > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        items += [Ellipsis] * (1 - dots)
        self.basic, self.arrays, self.sizes, self.numbers = (), [], [], []
        chosen, runs, before = [], 0, None
        dim = at = 0  # of x and of the basic view
        for item in items:
            if isinstance(item, TensorBase):
                runs += before is not TensorBase
                self._add_array(item, x.shape, dim)
                count = _dims_taken(item)
                # A single truth value selects from a new dim of size 1.
                self.basic += (slice(None),) * count or (None,)
                chosen += range(at, at + max(count, 1))
                at += count == 0
            else:
                count = x.ndim - taken if item is Ellipsis else _dims_taken(item)
                self.basic += (slice(None),) * count if item is Ellipsis else (item,)
                at += item is None
            before = TensorBase if isinstance(item, TensorBase) else None
            dim += count
            at += count
        self.order = chosen + [d for d in range(at) if d not in chosen]
        self.lead = len(chosen)
        self.place = chosen[0] if runs == 1 and chosen else 0
        self._broadcast()

    def _add_array(self, item, shape, dim):
        if item.dtype is bool_ and item.ndim == 0:
            self.arrays.append(zeros((int(item.item()),), int64.code))
            self.sizes.append(1)
            self.numbers.append(dim)
        elif item.dtype is bool_:
            selected = shape[dim : dim + item.ndim]
            if item.shape != selected:
                raise IndexError(
                    f"a mask of shape {item.shape} does not match {selected}, the sizes from dim "
                    f"{dim} on"
                )
            self.arrays += kernels.nonzero(elementwise.contiguous(item))
            self.sizes += selected
            self.numbers += range(dim, dim + item.ndim)
        else:
            self.arrays.append(item)
            self.sizes.append(shape[dim])
            self.numbers.append(dim)

    def _broadcast(self):
        try:
            shape = broadcast_shapes(*(a.shape for a in self.arrays))
        except ValueError as error:
            raise IndexError(f"index arrays: {error}") from None
        if 0 in shape:  # no element will be looked up, yet each index must be right
            for array, size, dim in zip(self.arrays, self.sizes, self.numbers, strict=True):
                kernels.positions([elementwise.contiguous(array)], [size], [dim])
        self.arrays = [elementwise.contiguous(views.expand(a, shape)) for a in self.arrays]
        self.shape = shape

    def rows(self):
        """The arrays as one tensor of row numbers."""
        return kernels.positions(self.arrays, self.sizes, self.numbers)

    def result_order(self):
        """The permutation that moves the arrays' dims to their place."""
        wide = len(self.shape)
        rest = list(range(wide, wide + len(self.order) - self.lead))
        return rest[: self.place] + list(range(wide)) + rest[self.place :]


def _item(item):
    """An item of an index: a slice, None, Ellipsis, or a tensor (bool, or int64)."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if not isinstance(item, TensorBase):
        item = _array(item)
    if item.dtype is bool_:
        return item
    if item.dtype.is_floating_point:
        raise IndexError(f"an index must be of integer or bool dtype, got {item.dtype.name}")
    return to(item.detach(), int64)


def _array(item):
    if isinstance(item, list) and not item:
        return zeros((0,), int64.code)
    kind = getattr(getattr(item, "dtype", None), "kind", None)
    if kind == "u" and item.size and int(item.max()) >= 2**63:
        raise IndexError(f"index {item.max()} is out of bounds for any dim")
    if kind in ("i", "u"):
        item = item.astype("int64")
    try:
        return from_data(item, copy=False)
    except (TypeError, ValueError):
        raise IndexError(f"cannot index with {type(item).__name__}: {item!r}") from None


def _dims_taken(item):
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, TensorBase) and item.dtype is bool_ else 1
