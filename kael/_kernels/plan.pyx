"""Boundary of the optimizers: every parameter of every group becomes a row of one C table.

A step collects (walks the groups, validates, appends a row per parameter that has a gradient),
creates the state that is missing and collects again, gathers (contiguous temporaries stand in for
strided tensors), and only then advances the step counters and runs the kernel with the GIL
released. A refused step therefore leaves parameters, state and counters as they were.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from kael._kernels.elementwise import contiguous, convert, copy_, fill_

from kael._kernels.layout cimport kl_extent, kl_interval, kl_strided, strided
from kael._kernels.numbers cimport new_number
from kael._kernels.step cimport Group, Step, kept_of, kl_optim_row
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, TensorBase, check_write, kl_aligned, kl_is_float, kl_itemsize,
    new_like, same_shape,
)


cdef class Plan(Step):
    """A step over kael's tensors."""

    def step(self, list groups, object state, double factor=1.0, bint clear=False):
        """Updates the parameters of all groups that have a gradient, times a factor; creates absent
        state; may leave zeros in the gradients. A refused step changes nothing."""
        lock = self.alone()
        lock.acquire()
        try:
            self.factor = factor
            self.clear = clear
            self.begin()
            self.collect(groups, state)
            if self.missing:
                self.create(state)
                self.begin()
                self.collect(groups, state)
            self.run()
        finally:
            self.written = self.gradients = self.room = self.missing = self.fresh = None
            lock.release()

    cdef int begin(self) except -1:
        self.count = 0
        self.written = []
        self.gradients = []
        self.missing = []
        self.strided = False
        return 0

    cdef int collect(self, list groups, object state) except -1:
        """A row for each parameter that has a gradient."""
        cdef dict group
        cdef TensorBase p, g
        cdef Group numbers
        cdef Py_ssize_t place = 0
        for group in groups:
            self.read(group, &numbers)
            for p in <list?> group["params"]:
                if p.grad_ is not None:
                    g = p.grad_
                    self.add(p, g, kept_of(state, p, &place), &numbers)
        return 0

    cdef int add(self, TensorBase p, TensorBase g, dict s, const Group *group) except -1:
        """A row for a parameter, its gradient and its state, which may be absent."""
        cdef kl_optim_row *row
        cdef kl_interval span
        cdef int k
        check_pair(p, g, self.op)
        if self.clear:
            check_write(g, self.op)
        row = self.append(group)
        self.moved = self.moved or row.size != p.size
        self.point(&row.param, p.data)
        row.grad = g.data
        row.size = p.size
        row.dtype = p.dtype
        row.fresh = self.fresh is not None and id(p) in self.fresh
        self.hold(p)
        self.gradients.append(g)
        span.first = span.last = 0
        if g is not p:
            self.extent(g, &span)
        self.give(span)
        self.strided = self.strided or not is_plain(g)
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
        check_write(t, self.op)
        self.point(&row.place[k], t.data)
        row.place_dtype[k] = t.dtype
        return self.hold(t)

    cdef int place_array(self, kl_optim_row *row, int k, object owner, object found) except -1:
        cdef TensorBase p = owner, t = found
        if t.dtype != p.dtype or not same_shape(t, p):
            raise ValueError(f"{self.op}: state {self.keys[k]!r} ({t.dtype_object.name}, "
                             f"{t.shape}) does not match its parameter "
                             f"({p.dtype_object.name}, {p.shape})")
        check_write(t, self.op)
        self.point(&row.state[k - self.numbers], t.data)
        return self.hold(t)

    cdef object make(self, int k, object owner, double value, bint wide):
        if k < self.numbers:
            return new_number(KL_DTYPE_f32, value)
        return new_filled(owner, value)

    cdef int hold(self, TensorBase t) except -1:
        self.written.append(t)
        self.strided = self.strided or not is_plain(t)
        return 0

    cdef int run(self) except -1:
        """All rows in one region, or one by one where written tensors share memory."""
        cdef int64_t start, together
        cdef Py_ssize_t place = 0
        cdef list later = self.to_clear_later() if self.clear else []
        self.order()
        count_write(self.written)
        if self.clear:
            count_write(self.gradients)
        together = 1 if self.ordered else max(self.count, 1)
        for start in range(0, self.count, together):
            copies = self.gather(start, start + together, &place) if self.strided else ()
            self.launch(start, together)
            for target, source in copies:
                copy_(target, source)
        for target in later:
            fill_(target, 0)
        return 0

    cdef list to_clear_later(self):
        """The gradients, if two rows may read one of them: the second is to find its value."""
        cdef int64_t i
        if not self.share_memory(self.written + self.gradients):
            return []
        for i in range(self.count):
            self.rows[i].clear = False
        self.clear = False
        return self.gradients

    cdef list gather(self, int64_t start, int64_t stop, Py_ssize_t *place):
        """Points rows at temporaries; returns the pairs (tensor, temporary) to copy back. `place`
        is where the tensors of the first row stand."""
        cdef list copies = []
        cdef kl_optim_row *row
        cdef int64_t i
        cdef int k
        self.room = []
        for i in range(start, stop):
            row = &self.rows[i]
            row.grad = self.plain(
                self.gradients[i], copies if self.clear else self.room, self.is_crossed(i))
            row.param = self.plain(self.written[place[0]], copies, False)
            place[0] += 1
            for k in range(len(self.keys)):
                if self.exists(k, &self.groups[i]):
                    if k >= self.numbers:
                        row.state[k - self.numbers] = self.plain(
                            self.written[place[0]], copies, False)
                    place[0] += 1
        return copies

    cdef void *plain(self, TensorBase t, list copies, bint apart) except? NULL:
        """The elements of t, or of a temporary that stands for it from now on, as it has to if it
        is to stand apart."""
        cdef TensorBase copy
        if is_plain(t) and not apart:
            return t.data
        copy = convert(t, t.dtype) if apart else contiguous(t)
        copies.append((t, copy))
        return copy.data

    cdef int extent(self, object tensor, kl_interval *out) except -1:
        cdef kl_strided layout = strided(tensor)
        out[0] = kl_extent(&layout)
        return 0


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
    return check_write(p, op)


cdef int count_write(list tensors) except -1:
    """Autograd sees that they change."""
    cdef TensorBase t
    for t in tensors:
        t.storage.version += 1
    return 0


cdef inline bint is_plain(TensorBase t) noexcept:
    """Contiguous and aligned to its elements: the kernel may walk it."""
    return t.contiguous and kl_aligned(t.data, kl_itemsize(t.dtype))


cdef TensorBase new_filled(TensorBase like, double value):
    cdef TensorBase t = new_like(like, like.dtype)
    if value != 0.0:
        fill_(t, value)
    elif t.size > 0:  # the data of an empty tensor is NULL
        memset(t.data, 0, <size_t> (t.size * kl_itemsize(t.dtype)))
    return t
