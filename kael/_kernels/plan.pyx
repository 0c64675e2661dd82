"""Boundary of the optimizers: every parameter of every group becomes a row of one C table.

A step collects (walks the groups, validates, appends a row per parameter that has a gradient),
creates the state that is missing and collects again, gathers (contiguous temporaries stand in for
strided tensors), and only then advances the step counters and runs the kernel with the GIL
released. A refused step therefore leaves parameters, state and counters as they were.
"""

import os
import threading

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memset

from kael._kernels.elementwise import contiguous, copy_

from kael._kernels.numbers cimport new_number
from kael._kernels.runtime cimport check, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, TensorBase, begin_write, kl_aligned, kl_is_float, kl_itemsize,
    new_like, same_shape,
)


# A row's tensors in Plan.tensors, None where there is none: parameter, gradient, three states, and
# the step counter.
cdef enum:
    GRADIENT = 1
    STATES = 2
    COUNTER = 5
    PER_ROW = 6


# Memory that a row writes.
cdef struct Interval:
    size_t first
    size_t last


# How many forks lie between the first process and this one: a lock that was held at the fork stays
# held in the child, so every plan takes a new one there.
cdef int64_t forks = 0


def count_fork():
    """Runs in the child of every fork."""
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)


cdef class Plan:
    """The table of an optimizer's step, kept between steps: room is reserved, and shared memory
    looked for, only when the set of tensors changes."""

    def __cinit__(self):
        self.forks = forks
        self.lock = threading.Lock()

    def __dealloc__(self):
        free(self.rows)
        free(self.hypers)

    def step(self, list groups, object state):
        """Updates the parameters of all groups; creates their state where it is absent."""
        if self.forks != forks:
            self.forks = forks
            self.lock = threading.Lock()
        with self.lock:
            try:
                self.begin()
                self.collect(groups, state)
                if self.missing:
                    create(state, self.missing)
                    self.created = {id(entry[0]) for entry in self.missing}
                    self.begin()
                    self.collect(groups, state)
                self.run()
            finally:
                self.tensors = self.missing = self.created = None

    cdef int collect(self, list groups, object state) except -1:
        """Appends a row for each parameter that has a gradient; defined by each rule."""
        raise NotImplementedError

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        """Advances the step counter and computes the row's scalars; defined by each rule."""
        raise NotImplementedError

    cdef int begin(self) except -1:
        self.count = 0
        self.tensors = []
        self.missing = []
        self.strided = False
        return 0

    cdef int reserve(self) except -1:
        """Makes room for one more row."""
        cdef int64_t capacity = 2 * self.capacity + 8
        if self.count < self.capacity:
            return 0
        cdef void *rows = realloc(self.rows, capacity * sizeof(kl_optim_tensor))
        if rows is NULL:
            raise MemoryError(f"{self.op}: no memory for {capacity} parameters")
        self.rows = <kl_optim_tensor *> rows
        cdef void *hypers = realloc(self.hypers, capacity * sizeof(Hyper))
        if hypers is NULL:
            raise MemoryError(f"{self.op}: no memory for {capacity} parameters")
        self.hypers = <Hyper *> hypers
        self.capacity = capacity
        self.moved = True
        return 0

    cdef kl_optim_tensor *add(self, TensorBase p, TensorBase g, const Hyper *hyper) except NULL:
        """A row for a parameter and its gradient."""
        cdef kl_optim_tensor *row
        if not kl_is_float(p.dtype):
            raise TypeError(f"{self.op}: parameters must be float32 or float64, "
                            f"got {p.dtype_object.name}")
        if g.dtype != p.dtype or not same_shape(g, p):
            raise ValueError(f"{self.op}: the gradient ({g.dtype_object.name}, {g.shape}) does "
                             f"not match its parameter ({p.dtype_object.name}, {p.shape})")
        self.reserve()
        begin_write(p, self.op)
        row = &self.rows[self.count]
        self.hypers[self.count] = hyper[0]
        self.count += 1
        self.moved = self.moved or row.param != <void *> p.data or row.size != p.size
        row.param = p.data
        row.grad = g.data
        row.size = p.size
        row.dtype = p.dtype
        row.variant = hyper.variant
        self.tensors += (p, g, None, None, None, None)
        self.strided = self.strided or not (is_plain(p) and is_plain(g))
        return row

    cdef int hold(self, TensorBase t, int k) except -1:
        """Tensor k of the row just added."""
        self.tensors[PER_ROW * (self.count - 1) + k] = t
        self.strided = self.strided or not is_plain(t)
        return 0

    cdef int add_state(self, kl_optim_tensor *row, int k, dict s, str key) except -1:
        """State k of the row just added is s[key]."""
        cdef TensorBase p = self.tensors[PER_ROW * (self.count - 1)]
        found = self.look_up(s, p, key)
        if found is None:
            return 0
        cdef char *data = check_state(found, p, self.op, key)
        self.hold(found, STATES + k)
        self.moved = self.moved or row.state[k] != <void *> data
        row.state[k] = data
        return 0

    cdef int add_counter(self, dict s) except -1:
        """The row's step counter is s["step"]: a 0-d tensor, or a number that becomes one."""
        cdef TensorBase p = self.tensors[PER_ROW * (self.count - 1)]
        found = self.look_up(s, p, "step")
        if found is None:
            return 0
        if not isinstance(found, TensorBase):
            self.missing.append((p, "step", float(found)))
            return 0
        cdef TensorBase t = found
        if t.size != 1 or t.dtype == KL_DTYPE_bool or not is_plain(t):
            raise ValueError(f"{self.op}: state 'step' must be one number, got shape {t.shape}")
        begin_write(t, self.op)
        return self.hold(t, COUNTER)

    cdef object look_up(self, dict s, TensorBase p, str key):
        """s[key], or None and a note that it is missing."""
        cdef PyObject *found = NULL if s is None else PyDict_GetItemWithError(s, key)
        if found is not NULL and <object> found is not None:
            return <object> found
        self.missing.append((p, key, None))
        return None

    cdef int run(self) except -1:
        """All rows in one region, or one by one where written tensors share memory."""
        cdef int64_t start, i, together
        if self.moved or self.count > self.compared:
            self.ordered = share_memory(self.tensors)
            self.moved = False
            self.compared = self.count
        together = 1 if self.ordered else max(self.count, 1)
        for start in range(0, self.count, together):
            copies = self.gather(start, start + together) if self.strided else ()
            for i in range(start, start + together):
                self.commit(&self.rows[i], &self.hypers[i], self.tensors[PER_ROW * i + COUNTER])
            self.launch(start, together)
            for target, source in copies:
                copy_(target, source)
        return 0

    cdef int launch(self, int64_t start, int64_t count) except -1:
        cdef const kl_runtime *rt = runtime()
        cdef kl_optim_tensor *rows = self.rows + start
        cdef kl_optim_driver driver = self.driver
        cdef int status
        with nogil:
            status = driver(rt, rows, count)
        return check(status, self.op)

    cdef list gather(self, int64_t start, int64_t stop):
        """Points rows at temporaries; returns the pairs (tensor, temporary) to copy back."""
        cdef list copies = []
        cdef TensorBase t, copy
        cdef int64_t i
        cdef int k
        for i in range(start, stop):
            for k in range(COUNTER):
                t = self.tensors[PER_ROW * i + k]
                if t is None or is_plain(t):
                    continue
                copy = contiguous(t)
                if k == GRADIENT:
                    self.rows[i].grad = copy.data
                    self.tensors[PER_ROW * i + k] = copy
                    continue
                copies.append((t, copy))
                if k == 0:
                    self.rows[i].param = copy.data
                else:
                    self.rows[i].state[k - STATES] = copy.data
        return copies


cdef inline bint is_plain(TensorBase t) noexcept:
    """Contiguous and aligned to its elements: the kernel may walk it."""
    return t.contiguous and kl_aligned(t.data, kl_itemsize(t.dtype))


cdef char *check_state(object found, TensorBase p, str op, str key) except? NULL:
    if not isinstance(found, TensorBase):
        raise TypeError(f"{op}: state {key!r} must be a Tensor, got {type(found).__name__}")
    cdef TensorBase t = found
    if t.dtype != p.dtype or not same_shape(t, p):
        raise ValueError(f"{op}: state {key!r} ({t.dtype_object.name}, {t.shape}) does not match "
                         f"its parameter ({p.dtype_object.name}, {p.shape})")
    begin_write(t, op)
    return t.data


cdef dict state_of(object state, TensorBase p):
    cdef PyObject *found = PyDict_GetItemWithError(state, p)
    return None if found is NULL else <dict?> <object> found


cdef int create(object state, list missing) except -1:
    """Makes all of the absent state, then attaches it."""
    made = [
        (p, key, new_number(KL_DTYPE_f32, number or 0.0) if key == "step" else new_zeros(p))
        for p, key, number in missing
    ]
    for p, key, value in made:
        state.setdefault(p, {})[key] = value
    return 0


cdef TensorBase new_zeros(TensorBase like):
    cdef TensorBase t = new_like(like, like.dtype)
    if t.size > 0:  # the data of an empty tensor is NULL
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


cdef int by_address(const void *a, const void *b) noexcept nogil:
    cdef size_t x = (<const Interval *> a).first
    cdef size_t y = (<const Interval *> b).first
    return (x > y) - (x < y)


cdef bint share_memory(list tensors) except -1:
    """Whether any two written tensors (all but the gradients) overlap, as their hulls see it."""
    cdef int64_t used = 0, i
    cdef bint overlap = False
    cdef TensorBase t
    cdef Interval *intervals = <Interval *> malloc((len(tensors) + 1) * sizeof(Interval))
    if intervals is NULL:
        raise MemoryError("no memory to compare the parameters' places")
    for i in range(len(tensors)):
        t = tensors[i]
        if t is not None and t.size > 0 and i % PER_ROW != GRADIENT:
            intervals[used] = extent(t)
            used += 1
    qsort(intervals, used, sizeof(Interval), by_address)
    for i in range(1, used):
        if intervals[i].first < intervals[i - 1].last:
            overlap = True
    free(intervals)
    return overlap
