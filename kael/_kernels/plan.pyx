"""Boundary of the optimizers: every parameter of every group becomes a row of one C table.

A step collects (walks the groups, validates, appends a row per parameter that has a gradient),
creates the state that is missing and collects again, gathers (contiguous temporaries stand in for
strided tensors), and only then advances the step counters and runs the kernel with the GIL
released. A refused step therefore leaves parameters, state and counters as they were.
"""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from kael._kernels.elementwise import contiguous, copy_, fill_

from kael._kernels.numbers cimport new_number
from kael._kernels.step cimport Group, Interval, Step, any_overlap, kl_optim_row
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, TensorBase, begin_write, kl_aligned, kl_is_float, kl_itemsize,
    new_like, same_shape,
)


# A row's tensors in Plan.tensors, None where there is none: parameter, gradient, then what is kept.
cdef enum:
    GRADIENT = 1
    KEPT = 2
    PER_ROW = 8


cdef class Plan(Step):
    """A step over kael's tensors. Shared memory is looked for only when the set of written tensors
    has changed since the last step."""

    def step(self, list groups, object state, double factor=1.0, bint clear=False):
        """Updates the parameters of all groups that have a gradient, times a factor; creates absent
        state; may leave zeros in the gradients. A refused step changes nothing."""
        with self.alone():
            self.factor = factor
            self.clear = clear
            try:
                self.begin()
                self.collect(groups, state)
                if self.missing:
                    self.create(state)
                    self.begin()
                    self.collect(groups, state)
                self.run()
            finally:
                self.tensors = self.missing = self.fresh = None

    cdef int begin(self) except -1:
        self.count = 0
        self.tensors = []
        self.missing = []
        self.strided = False
        return 0

    cdef int collect(self, list groups, object state) except -1:
        """A row for each parameter that has a gradient."""
        cdef dict group
        cdef TensorBase p, g
        cdef Group numbers
        for group in groups:
            self.read(group, &numbers)
            for p in <list?> group["params"]:
                if p.grad_ is not None:
                    g = p.grad_
                    self.add(p, g, state_of(state, p), &numbers)
        return 0

    cdef int add(self, TensorBase p, TensorBase g, dict s, const Group *group) except -1:
        """A row for a parameter, its gradient and its state, which may be absent."""
        cdef kl_optim_row *row
        cdef int k
        check_pair(p, g, self.op)
        if self.clear:
            begin_write(g, self.op)
        row = self.append(group)
        self.moved = self.moved or row.size != p.size
        self.point(&row.param, p.data)
        row.grad = g.data
        row.size = p.size
        row.dtype = p.dtype
        row.fresh = self.fresh is not None and id(p) in self.fresh
        self.tensors += (p, g, None, None, None, None, None, None)
        self.strided = self.strided or not (is_plain(p) and is_plain(g))
        for k in range(len(self.keys)):
            if self.exists(k, group):
                self.add_kept(row, k, p, s, group)
        return 0

    cdef bint is_tensor(self, object thing) except -1:
        return isinstance(thing, TensorBase)

    cdef int place_number(self, kl_optim_row *row, int k, object owner, object found,
                          dict s) except -1:
        cdef TensorBase t = found
        if t.size != 1 or t.dtype == KL_DTYPE_bool or not is_plain(t):
            raise ValueError(f"{self.op}: state {self.keys[k]!r} must be one number, "
                             f"got shape {t.shape}")
        begin_write(t, self.op)
        self.point(&row.place[k], t.data)
        row.place_dtype[k] = t.dtype
        return self.hold(t, KEPT + k)

    cdef int place_array(self, kl_optim_row *row, int k, object owner, object found) except -1:
        cdef TensorBase p = owner, t = found
        if t.dtype != p.dtype or not same_shape(t, p):
            raise ValueError(f"{self.op}: state {self.keys[k]!r} ({t.dtype_object.name}, "
                             f"{t.shape}) does not match its parameter "
                             f"({p.dtype_object.name}, {p.shape})")
        begin_write(t, self.op)
        self.point(&row.state[k - self.numbers], t.data)
        return self.hold(t, KEPT + k)

    cdef object make(self, int k, object owner, double value, bint wide):
        if k < self.numbers:
            return new_number(KL_DTYPE_f32, value)
        return new_filled(owner, value)

    cdef int hold(self, TensorBase t, int k) except -1:
        """Tensor k of the row just added."""
        self.tensors[PER_ROW * (self.count - 1) + k] = t
        self.strided = self.strided or not is_plain(t)
        return 0

    cdef int run(self) except -1:
        """All rows in one region, or one by one where written tensors share memory."""
        cdef int64_t start, together
        cdef list later = self.to_clear_later() if self.clear else []
        if self.moved or self.count > self.compared:
            self.ordered = share_memory(self.tensors, False)
            self.moved = False
            self.compared = self.count
        together = 1 if self.ordered else max(self.count, 1)
        for start in range(0, self.count, together):
            copies = self.gather(start, start + together) if self.strided else ()
            self.launch(start, together)
            for target, source in copies:
                copy_(target, source)
        for target in later:
            fill_(target, 0)
        return 0

    cdef list to_clear_later(self):
        """The gradients, if two rows may read one of them: the second is to find its value."""
        cdef int64_t i
        if not share_memory(self.tensors, True):
            return []
        for i in range(self.count):
            self.rows[i].clear = False
        self.clear = False
        return self.tensors[GRADIENT::PER_ROW]

    cdef list gather(self, int64_t start, int64_t stop):
        """Points rows at temporaries; returns the pairs (tensor, temporary) to copy back."""
        cdef list copies = []
        cdef TensorBase t, copy
        cdef int64_t i
        cdef int k
        for i in range(start, stop):
            for k in range(PER_ROW):
                t = self.tensors[PER_ROW * i + k]
                if t is None or is_plain(t):
                    continue
                copy = contiguous(t)
                if k == GRADIENT:
                    self.rows[i].grad = copy.data
                    self.tensors[PER_ROW * i + k] = copy
                    if self.clear:
                        copies.append((t, copy))
                    continue
                copies.append((t, copy))
                if k == 0:
                    self.rows[i].param = copy.data
                else:
                    self.rows[i].state[k - KEPT - self.numbers] = copy.data
        return copies


def check(list params, list grads, str op):
    """Raises what a step of these would raise."""
    cdef TensorBase p, g
    for p, g in zip(params, grads):
        check_pair(p, g, op)


cdef int check_pair(TensorBase p, TensorBase g, str op) except -1:
    """Raises unless the parameter can be written and the gradient is like it."""
    if not kl_is_float(p.dtype):
        raise TypeError(f"{op}: parameters must be float32 or float64, got {p.dtype_object.name}")
    if g.dtype != p.dtype or not same_shape(g, p):
        raise ValueError(f"{op}: the gradient ({g.dtype_object.name}, {g.shape}) does not match "
                         f"its parameter ({p.dtype_object.name}, {p.shape})")
    return begin_write(p, op)


cdef inline bint is_plain(TensorBase t) noexcept:
    """Contiguous and aligned to its elements: the kernel may walk it."""
    return t.contiguous and kl_aligned(t.data, kl_itemsize(t.dtype))


cdef dict state_of(object state, TensorBase p):
    cdef PyObject *found = PyDict_GetItemWithError(state, p)
    return None if found is NULL else <dict?> <object> found


cdef TensorBase new_filled(TensorBase like, double value):
    cdef TensorBase t = new_like(like, like.dtype)
    if value != 0.0:
        fill_(t, value)
    elif t.size > 0:  # the data of an empty tensor is NULL
        memset(t.data, 0, <size_t> (t.size * kl_itemsize(t.dtype)))
    return t


cdef Interval extent(TensorBase t) noexcept:
    cdef Interval result
    cdef int64_t itemsize = kl_itemsize(t.dtype)
    cdef int64_t reach
    cdef int d
    result.first = <size_t> t.data
    result.last = result.first + <size_t> itemsize
    for d in range(t.ndim):
        reach = t.strides_[d] * (t.shape_[d] - 1) * itemsize
        if reach < 0:
            result.first -= <size_t> -reach
        else:
            result.last += <size_t> reach
    return result


cdef bint share_memory(list tensors, bint gradients) except -1:
    """Whether any two of the tensors, those of a gradient too or not, overlap, as their hulls see
    it."""
    cdef int64_t used = 0, i
    cdef bint overlap
    cdef TensorBase t
    cdef Interval *intervals = <Interval *> malloc((len(tensors) + 1) * sizeof(Interval))
    if intervals is NULL:
        raise MemoryError("no memory to compare the parameters' places")
    for i in range(len(tensors)):
        t = tensors[i]
        if t is not None and t.size > 0 and (gradients or i % PER_ROW != GRADIENT):
            intervals[used] = extent(t)
            used += 1
    overlap = any_overlap(intervals, used)
    free(intervals)
    return overlap
