"""Boundary of kael.torch.optim: the memory of PyTorch's tensors becomes the rows of the table.

How a tensor is looked at is in torch_read.pyx; what PyTorch itself must do (make state, copy
strided memory, count versions) in kael/torch/tensors.py. As in plan.pyx, a step collects and
validates first; a refused one changes nothing.
"""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from kael._kernels.dlpack cimport Described
from kael._kernels.optim cimport declare, numbers
from kael._kernels.step cimport Group, Interval, Step, any_overlap, kl_optim_row
from kael._kernels.torch_read cimport (
    Array, Reader, kl_count, kl_goes_with, kl_is_dense, kl_layout, kl_reach, kl_same_sizes,
    layout_of, number_dtype,
)


# A row's tensors in TorchStep.tensors where they are listed, None where there is none: parameter,
# gradient, what is kept.
cdef enum:
    GRADIENT = 1
    KEPT = 2
    PER_ROW = 8


cdef class TorchStep(Step):
    """A step of the rule of that name; ``op`` is how messages call it."""
    cdef object torch              # kael.torch.tensors
    cdef Reader reader
    cdef list tensors              # held while the GIL is released: PER_ROW for each row if listed
    cdef bint listed               # so as to make stand-ins; it costs a tenth of a small step
    cdef list written              # those that the step changes, but for gradients
    cdef list cleared              # gradients in which zeros are to be left
    cdef list missing              # (parameter, its state or None, key, is a number, value)
    cdef list room                 # what else is to live until the end of the step
    cdef set fresh                 # ids of the parameters whose state this step has made
    cdef bint strided              # some tensor needs a stand-in
    cdef bint ordered              # some written tensors share memory: one region each, in order
    cdef int64_t compared          # rows among which shared memory was looked for

    def __init__(self, str rule, str op, tensors):
        declare(self, numbers[rule])
        self.op = op
        self.torch = tensors
        self.reader = Reader(tensors, op)

    def step(self, list groups, object state, double factor=1.0, bint clear=False):
        """Updates the parameters that have a gradient, times a factor; creates absent state; may
        leave zeros in the gradients."""
        self.take_turn(groups, state, factor, clear)

    def update(self, list params, list grads, list states, dict group, double factor=1.0):
        """The same from lists; states are dicts, which may lack what is absent."""
        self.take_turn([params, grads, states, group], None, factor, False)

    cdef int take_turn(self, list groups, object state, double factor, bint clear) except -1:
        with self.alone():
            self.factor = factor
            self.clear = clear
            try:
                self.collect(groups, state)
                if self.missing:
                    self.create(state)
                    self.collect(groups, state)
                if self.strided and not self.listed:
                    self.listed = True
                    self.collect(groups, state)
                self.run()
            finally:
                self.forget()
        return 0

    cdef int begin(self) except -1:
        self.count = 0
        self.tensors = []
        self.written = []
        self.cleared = []
        self.missing = []
        self.room = self.reader.room = []
        self.strided = False
        return 0

    cdef int forget(self) except -1:
        self.cleared = None
        self.tensors = self.written = self.missing = self.room = self.reader.room = None
        self.fresh = None
        return 0

    cdef int collect(self, list groups, object state) except -1:
        """A row for each parameter that has a gradient; without a state the groups are lists."""
        cdef dict group
        cdef Group options
        cdef Py_ssize_t i, place = 0
        self.begin()
        if state is None:
            self.read(groups[3], &options)
            for i in range(len(groups[0])):
                self.add(groups[0][i], groups[1][i], groups[2][i], &options)
            return 0
        for group in groups:
            self.read(group, &options)
            for p in <list?> group["params"]:
                g = p.grad
                if g is not None:
                    self.add(p, g, kept_of(state, p, &place), &options)
        return 0

    cdef int add(self, object owner, object given, dict s, const Group *group) except -1:
        """A row for a parameter, its gradient and its state, which may be absent."""
        cdef Array a, b
        cdef kl_optim_row *row
        cdef int k
        p = self.reader.take(owner, &a, "parameters")
        g = self.reader.take(given, &b, "gradients")
        if not kl_same_sizes(&a.layout, &b.layout):
            raise ValueError(f"{self.op}: the gradient {tuple(g.shape)} does not have the shape "
                             f"of its parameter {tuple(p.shape)}")
        if b.dtype != a.dtype:
            raise TypeError(f"{self.op}: a gradient of {g.dtype} does not go with a parameter of "
                            f"{p.dtype}")
        if self.clear:
            self.check_distinct(&b.layout, "gradients, which are to be zeroed,")
            self.cleared.append(given)
        row = self.append(group)
        self.moved = self.moved or row.size != a.layout.size
        self.point(&row.param, a.layout.data)
        row.grad = b.layout.data
        row.size = a.layout.size
        row.dtype = a.dtype
        row.param_storage = a.storage
        row.grad_storage = b.storage
        row.fresh = self.fresh is not None and id(owner) in self.fresh
        self.tensors.append(p)
        self.tensors.append(g)
        if self.listed:
            self.tensors += (None,) * (PER_ROW - KEPT)
        self.written.append(owner)
        if not kl_is_dense(&a.layout):
            self.check_distinct(&a.layout, "parameters")
            self.strided = True
        elif not kl_goes_with(&b.layout, &a.layout):
            self.strided = True
        for k in range(len(self.keys)):
            if self.exists(k, group):
                self.add_kept(row, k, owner, &a, s, group)
        return 0

    cdef int check_distinct(self, const kl_layout *a, str what) except -1:
        """An expanded tensor cannot be written."""
        cdef int d
        for d in range(a.ndim):
            if a.strides[d] == 0 and a.shape[d] > 1:
                raise RuntimeError(f"{self.op}: one of the {what} shows one element at several "
                                   f"places (stride 0 at dim {d})")
        return 0

    cdef int add_kept(self, kl_optim_row *row, int k, object owner, const Array *a, dict s,
                      const Group *group) except -1:
        """What the state has under key k, or a note that it is missing."""
        cdef str key = self.keys[k]
        cdef PyObject *entry = NULL if s is None else PyDict_GetItemWithError(s, key)
        found = None if entry is NULL else <object> entry
        cdef bint single = k < self.numbers
        if found is None:
            self.missing.append((owner, s, key, single, self.first(k, group)))
        elif self.reader.is_tensor(found):
            if single:
                self.place_number(row, k, owner, found, s)
            else:
                self.place_array(row, k, a, found)
        elif single:
            self.missing.append((owner, s, key, True, float(found)))
        else:
            raise TypeError(f"{self.op}: state {key!r} must be a Tensor, "
                            f"got {type(found).__name__}")
        return 0

    cdef int place_number(self, kl_optim_row *row, int k, object owner, object t,
                          dict s) except -1:
        cdef Described d
        cdef int dtype
        self.reader.look_at(t, &d, "numbers of the state")
        if kl_count(d.ndim, d.shape) != 1:
            raise ValueError(f"{self.op}: state {self.keys[k]!r} must be one number, "
                             f"got shape {tuple(t.shape)}")
        dtype = number_dtype(&d)
        if dtype < 0 or (<size_t> d.data) % (d.dtype.bits // 8) != 0:
            self.missing.append((owner, s, self.keys[k], True, float(t)))
            return 0
        self.point(&row.place[k], d.data)
        row.place_dtype[k] = dtype
        return self.keep(t, t, k)

    cdef int place_array(self, kl_optim_row *row, int k, const Array *a, object t) except -1:
        cdef Array b
        taken = self.reader.take(t, &b, "states")
        if not kl_same_sizes(&a.layout, &b.layout):
            raise ValueError(f"{self.op}: state {self.keys[k]!r} {tuple(t.shape)} does not have "
                             "the shape of its parameter")
        if b.dtype != a.dtype or (k > self.numbers and b.storage != row.state_storage):
            raise TypeError(f"{self.op}: state {self.keys[k]!r} of {t.dtype} does not go with "
                            "its parameter or the rest of the state")
        row.state_storage = b.storage
        self.point(&row.state[k - self.numbers], b.layout.data)
        if not kl_goes_with(&b.layout, &a.layout):
            self.check_distinct(&b.layout, "states")
            self.strided = True
        return self.keep(t, taken, k)

    cdef int keep(self, object t, object taken, int k) except -1:
        """Tensor k of the row just added, and what stands for it."""
        if self.listed:
            self.tensors[PER_ROW * (self.count - 1) + KEPT + k] = taken
        elif taken is not t:
            self.tensors.append(taken)
        self.written.append(t)
        return 0

    cdef int create(self, object state) except -1:
        """Makes all of the absent state, then attaches it."""
        made = [
            (p, s, key, self.torch.new_number(first) if single else self.torch.new_array(p, first))
            for p, s, key, single, first in self.missing
        ]
        for p, s, key, value in made:
            if s is None:
                s = state.setdefault(p, {})
            s[key] = value
        self.fresh = {id(entry[0]) for entry in self.missing}
        return 0

    cdef int run(self) except -1:
        """All rows in one region, or one by one where written tensors share memory."""
        cdef int64_t start, together
        if self.moved or self.count > self.compared:
            self.ordered = self.share_memory(self.written)
            self.moved = False
            self.compared = self.count
        self.torch.increment_version(self.written)
        cdef bint later = self.clear and (
            self.strided or self.share_memory(self.written + self.cleared))
        if later:  # a gradient that two rows read keeps its value for the second
            for start in range(self.count):
                self.rows[start].clear = False
        together = 1 if self.ordered else max(self.count, 1)
        for start in range(0, self.count, together):
            copies = self.stand_in(start, start + together) if self.strided else ()
            self.launch(start, together)
            if copies:
                self.torch.put_back(copies)
        if later:
            self.torch.clear(self.cleared)
        elif self.clear:
            self.torch.increment_version(self.cleared)
        return 0

    cdef list stand_in(self, int64_t start, int64_t stop):
        """Points rows at dense copies in one order; returns pairs (tensor, copy) to put back."""
        cdef list copies = []
        cdef Array a, b
        cdef int64_t i
        cdef int k
        for i in range(start, stop):
            p = self.reader.take(self.tensors[PER_ROW * i], &a, "parameters")
            if not kl_is_dense(&a.layout):
                p = self.dense(p, p, &a, copies)
                self.rows[i].param = a.layout.data
            for k in range(GRADIENT, PER_ROW):
                t = self.tensors[PER_ROW * i + k]
                if t is None or KEPT <= k < KEPT + self.numbers:
                    continue
                self.reader.take(t, &b, "tensors")
                if kl_goes_with(&b.layout, &a.layout):
                    continue
                self.dense(t, p, &b, copies if k != GRADIENT else [])
                if k == GRADIENT:
                    self.rows[i].grad = b.layout.data
                else:
                    self.rows[i].state[k - KEPT - self.numbers] = b.layout.data
        return copies

    cdef object dense(self, object t, object like, Array *a, list copies):
        """A copy of t with the memory order of `like`, described in a and held."""
        copy = self.torch.dense_copy(t, like)
        self.room.append(copy)
        copies.append((t, copy))
        self.reader.take(copy, a, "tensors")
        return copy

    cdef bint share_memory(self, list tensors) except -1:
        """Whether any two of them overlap, as their hulls see it."""
        cdef int64_t used = 0
        cdef Py_ssize_t i
        cdef Described d
        cdef kl_layout layout
        cdef bint overlap
        cdef size_t size = (len(tensors) + 1) * sizeof(Interval)
        cdef Interval *intervals = <Interval *> malloc(size)
        if intervals is NULL:
            raise MemoryError(f"{self.op}: no memory to compare the parameters' places")
        try:
            for i in range(len(tensors)):
                self.reader.look_at(tensors[i], &d, "tensors")
                layout = layout_of(&d)
                if layout.size > 0:
                    intervals[used].first = <size_t> layout.data
                    intervals[used].last = intervals[used].first + kl_reach(&layout)
                    used += 1
            overlap = any_overlap(intervals, used)
        finally:
            free(intervals)
        return overlap


cdef dict kept_of(object state, object p, Py_ssize_t *place):
    """state[p], or None. State stands mostly in the order of the parameters, so the next entries
    are tried before the hash, which PyTorch computes in Python."""
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t next = place[0]
    cdef int _tried
    for _tried in range(4):
        if not PyDict_Next(state, &next, &key, &value):
            break
        if key == <PyObject *> p:
            place[0] = next
            return <dict?> <object> value
    value = PyDict_GetItemWithError(state, p)
    return None if value is NULL else <dict?> <object> value
