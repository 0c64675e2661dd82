"""Boundary of kael.torch.optim: the memory of PyTorch's tensors becomes the rows of the table.

How a tensor is looked at is in torch_read.pyx; what PyTorch itself must do (make state, copy
strided memory, count versions) in kael/torch/tensors.py. As in plan.pyx, a step collects and
validates first; a refused one changes nothing.
"""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from kael._kernels.dlpack cimport Described
from kael._kernels.optim cimport declare, numbers
from kael._kernels.step cimport (
    KL_STORAGE_plain, MASTER, Group, Interval, Step, any_overlap, kl_optim_row,
)
from kael._kernels.torch_read cimport (
    Array, Reader, kl_count, kl_goes_with, kl_is_dense, kl_is_packed, kl_reach, kl_same_sizes,
    kl_strided, layout_of, number_dtype,
)


# A row's tensors in TorchStep.tensors where they are listed, None where there is none: parameter,
# gradient, what is kept, master.
cdef enum:
    GRADIENT = 1
    KEPT = 2
    LAST = 8
    PER_ROW = 9


cdef class TorchStep(Step):
    """A step of the rule of that name; ``op`` is how messages call it."""
    cdef object torch              # kael.torch.tensors
    cdef Reader reader
    cdef list tensors              # held while the GIL is released: PER_ROW for each row if listed
    cdef bint listed               # so as to make stand-ins; it costs a tenth of a small step
    cdef list written              # those that the step changes, but for gradients
    cdef list cleared              # gradients in which zeros are to be left
    cdef list room                 # what else is to live until the end of the step
    cdef bint strided              # some tensor needs a stand-in
    cdef bint ordered              # some written tensors share memory: one region each, in order
    cdef int64_t compared          # rows among which shared memory was looked for
    cdef Array like                # the parameter of the row being added
    cdef bint masters              # its group gives parameters of 16 bits a master in f32
    cdef bint stochastic           # or rounds them by the random numbers of a seed from a position
    cdef uint64_t seed, position
    cdef list drawn                # (group, its seed and position after this step)

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
        self.drawn = []
        self.room = self.reader.room = []
        self.strided = False
        return 0

    cdef int forget(self) except -1:
        self.cleared = self.drawn = None
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
            self.read_storing(groups[3], 0)
            self.read(groups[3], &options)
            for i in range(len(groups[0])):
                self.add(groups[0][i], groups[1][i], groups[2][i], &options)
            return self.end_group(groups[3])
        for i, group in enumerate(groups):
            self.read_storing(group, i)
            self.read(group, &options)
            for p in <list?> group["params"]:
                g = p.grad
                if g is not None:
                    self.add(p, g, kept_of(state, p, &place), &options)
            self.end_group(group)
        return 0

    cdef int read_storing(self, dict group, int64_t number) except -1:
        """What a group says about the storing of parameters of 16 bits; both keys may be absent."""
        self.masters = group.get("master_weights", False)
        self.stochastic = group.get("stochastic_rounding", False)
        if self.stochastic:
            self.torch.check_storing(group)
            self.seed, self.position = (
                group.get("rounding_state") or self.torch.rounding_state(number))
        return 0

    cdef int end_group(self, dict group) except -1:
        if self.stochastic:
            self.drawn.append((group, (self.seed, self.position)))
        return 0

    cdef int add(self, object owner, object given, dict s, const Group *group) except -1:
        """A row for a parameter, its gradient and its state, which may be absent."""
        cdef Array *a = &self.like
        cdef Array b
        cdef kl_optim_row *row
        cdef int k
        p = self.reader.take(owner, a, "parameters")
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
        row.grad = b.layout.data
        row.size = a.layout.size
        row.dtype = a.dtype
        row.grad_storage = b.storage
        row.fresh = self.fresh is not None and id(owner) in self.fresh
        self.tensors.append(p)
        self.tensors.append(g)
        if self.listed:
            self.tensors += (None,) * (PER_ROW - KEPT)
        self.written.append(owner)
        self.add_param(row, owner, s)
        if not (kl_is_dense(&a.layout) and self.in_order(row, &a.layout)):
            self.check_distinct(&a.layout, "parameters")
            self.strided = True
        elif not kl_goes_with(&b.layout, &a.layout):
            self.strided = True
        for k in range(len(self.keys)):
            if self.exists(k, group):
                self.add_kept(row, k, owner, s, group)
        return 0

    cdef int add_param(self, kl_optim_row *row, object owner, dict s) except -1:
        """Where the parameter is kept, and how it is stored there."""
        cdef Array *a = &self.like
        if a.storage == KL_STORAGE_plain or not self.masters:
            row.rounded = NULL
            self.point(&row.param, a.layout.data)
            row.param_storage = a.storage
            if a.storage != KL_STORAGE_plain and self.stochastic:
                row.stochastic = True
                row.seed = self.seed
                row.draw = self.position
                self.position += <uint64_t> a.layout.size
            return 0
        self.point(&row.rounded, a.layout.data)
        row.rounded_storage = a.storage
        found = None if s is None else s.get("master_param")
        if found is None:
            self.missing.append((owner, s, MASTER, 0.0, True))
            return 0
        return self.place(row, MASTER, found, &row.param, &row.param_storage)

    cdef bint in_order(self, const kl_optim_row *row, const kl_strided *a) noexcept:
        """Random numbers are counted in the order of the indices, whatever that of the memory."""
        return not row.stochastic or kl_is_packed(a)

    cdef int check_distinct(self, const kl_strided *a, str what) except -1:
        """An expanded tensor cannot be written."""
        cdef int d
        for d in range(a.ndim):
            if a.strides[d] == 0 and a.shape[d] > 1:
                raise RuntimeError(f"{self.op}: one of the {what} shows one element at several "
                                   f"places (stride 0 at dim {d})")
        return 0

    cdef bint is_tensor(self, object thing) except -1:
        return self.reader.is_tensor(thing)

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
            self.missing.append((owner, s, k, float(t), False))
            return 0
        self.point(&row.place[k], d.data)
        row.place_dtype[k] = dtype
        return self.keep(t, t, KEPT + k)

    cdef int place_array(self, kl_optim_row *row, int k, object owner, object t) except -1:
        cdef int storage = row.state_storage
        self.place(row, k, t, &row.state[k - self.numbers], &row.state_storage)
        if k > self.numbers and row.state_storage != storage:
            self.refuse_state(k, t)
        return 0

    cdef int place(self, kl_optim_row *row, int k, object t, void **slot, int *storage) except -1:
        """Points a slot of the row at an array of the state."""
        cdef Array b
        taken = self.reader.take(t, &b, "states")
        if not kl_same_sizes(&self.like.layout, &b.layout):
            raise ValueError(f"{self.op}: state {self.key(k)!r} {tuple(t.shape)} does not have "
                             "the shape of its parameter")
        if b.dtype != self.like.dtype or (k == MASTER and b.storage != KL_STORAGE_plain):
            self.refuse_state(k, t)
        storage[0] = b.storage
        self.point(slot, b.layout.data)
        if not kl_goes_with(&b.layout, &self.like.layout):
            self.check_distinct(&b.layout, "states")
            self.strided = True
        return self.keep(t, taken, LAST if k == MASTER else KEPT + k)

    cdef int refuse_state(self, int k, object t) except -1:
        raise TypeError(f"{self.op}: state {self.key(k)!r} of {t.dtype} does not go with "
                        "its parameter or the rest of the state")

    cdef int keep(self, object t, object taken, int slot) except -1:
        """A tensor of the row just added, and what stands for it."""
        if self.listed:
            self.tensors[PER_ROW * (self.count - 1) + slot] = taken
        elif taken is not t:
            self.tensors.append(taken)
        self.written.append(t)
        return 0

    cdef object make(self, int k, object owner, double value, bint wide):
        if k == MASTER:
            return self.torch.new_master(owner)
        if k < self.numbers:
            return self.torch.new_number(value)
        return self.torch.new_array(owner, value, wide)

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
        for group, state in self.drawn:
            group["rounding_state"] = state
        return 0

    cdef list stand_in(self, int64_t start, int64_t stop):
        """Points rows at dense copies in one order; returns pairs (tensor, copy) to put back."""
        cdef list copies = []
        cdef Array a, b
        cdef int64_t i
        cdef int k
        for i in range(start, stop):
            p = self.reader.take(self.tensors[PER_ROW * i], &a, "parameters")
            if not (kl_is_dense(&a.layout) and self.in_order(&self.rows[i], &a.layout)):
                p = self.dense(p, p, &a, copies, self.rows[i].stochastic)
                if self.rows[i].rounded is not NULL:
                    self.rows[i].rounded = a.layout.data
                else:
                    self.rows[i].param = a.layout.data
            for k in range(GRADIENT, PER_ROW):
                t = self.tensors[PER_ROW * i + k]
                if t is None or KEPT <= k < KEPT + self.numbers:
                    continue
                self.reader.take(t, &b, "tensors")
                if kl_goes_with(&b.layout, &a.layout):
                    continue
                self.dense(t, p, &b, copies if k != GRADIENT else [], False)
                if k == GRADIENT:
                    self.rows[i].grad = b.layout.data
                elif k == LAST:
                    self.rows[i].param = b.layout.data
                else:
                    self.rows[i].state[k - KEPT - self.numbers] = b.layout.data
        return copies

    cdef object dense(self, object t, object like, Array *a, list copies, bint packed):
        """A copy of t with the memory order of `like`, or that of the indices, described in a and
        held."""
        copy = self.torch.dense_copy(t, like, packed)
        self.room.append(copy)
        copies.append((t, copy))
        self.reader.take(copy, a, "tensors")
        return copy

    cdef bint share_memory(self, list tensors) except -1:
        """Whether any two of them overlap, as their hulls see it."""
        cdef int64_t used = 0
        cdef Py_ssize_t i
        cdef Described d
        cdef kl_strided layout
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
