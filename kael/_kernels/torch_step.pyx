"""Boundary of kael.torch.optim: the memory of PyTorch's tensors becomes the rows of the table.

How a tensor is looked at is in torch_read.pyx; what PyTorch itself must do (make state, copy
strided memory, count versions) in kael/torch/tensors.py. As in plan.pyx, a step collects and
validates first; a refused one changes nothing.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t

from kael._kernels.dlpack cimport Described
from kael._kernels.layout cimport (
    kl_count, kl_extent, kl_goes_with, kl_interval, kl_is_dense, kl_is_packed, kl_same_sizes,
    kl_strided,
)
from kael._kernels.optim cimport declare, numbers
from kael._kernels.step cimport (
    KL_STORAGE_plain, MASTER, Group, Step, kept_of, kl_optim_row,
)
from kael._kernels.torch_read cimport (
    Array, Reader, grad_of, layout_of, number_dtype,
)


@cython.final
cdef class TorchStep(Step):
    """A step of the rule of that name; ``op`` is how messages call it."""
    cdef object torch              # kael.torch.tensors
    cdef object increment_version
    cdef Reader reader
    cdef list cleared              # gradients in which zeros are to be left
    cdef list room                 # what else is to live until the end of the step
    cdef Array like                # the parameter of the row being added
    cdef bint masters              # its group gives parameters of 16 bits a master in f32
    cdef bint stochastic           # or rounds them by the random numbers of a seed from a position
    cdef uint64_t seed, position
    cdef list drawn                # (group, its seed and position after this step)

    def __init__(self, str rule, str op, tensors):
        declare(self, numbers[rule])
        self.op = op
        self.torch = tensors
        self.increment_version = tensors.increment_version
        self.reader = Reader(tensors, op)

    def step(self, list groups, object state, double factor=1.0, bint clear=False):
        """Updates the parameters that have a gradient, times a factor; creates absent state; may
        leave zeros in the gradients."""
        self.take_turn(groups, state, factor, clear)

    def update(self, list params, list grads, list states, dict group, double factor=1.0):
        """The same from lists; states are dicts, which may lack what is absent."""
        self.take_turn([params, grads, states, group], None, factor, False)

    cdef int take_turn(self, list groups, object state, double factor, bint clear) except -1:
        lock = self.alone()
        lock.acquire()
        try:
            self.factor = factor
            self.clear = clear
            self.collect(groups, state)
            if self.missing:
                self.create(state)
                self.collect(groups, state)
            self.run()
        finally:
            self.forget()
            lock.release()
        return 0

    cdef int begin(self) except -1:
        self.count = 0
        self.written = []
        self.gradients = []
        self.cleared = [] if self.clear else None
        self.missing = []
        self.drawn = None
        self.room = self.reader.room = []
        self.strided = False
        return self.reader.begin()

    cdef int forget(self) except -1:
        self.cleared = self.drawn = None
        self.written = self.gradients = self.missing = self.room = self.reader.room = None
        self.fresh = None
        return 0

    cdef int collect(self, list groups, object state) except -1:
        """A row for each parameter that has a gradient; without a state the groups are lists."""
        cdef dict group
        cdef Group options
        cdef Py_ssize_t i = 0, place = 0
        self.begin()
        if state is None:
            self.read_storing(groups[3], 0)
            self.read(groups[3], &options)
            for i in range(len(groups[0])):
                self.add(groups[0][i], groups[1][i], groups[2][i], &options)
            return self.end_group(groups[3])
        for group in groups:
            self.read_storing(group, i)
            self.read(group, &options)
            i += 1
            for p in <list?> group["params"]:
                g = grad_of(self.reader, p)
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
            self.drawn = (self.drawn or []) + [(group, (self.seed, self.position))]
        return 0

    cdef int add(self, object owner, object given, dict s, const Group *group) except -1:
        """A row for a parameter, its gradient and its state, which may be absent."""
        cdef Array *a = &self.like
        cdef Array b
        cdef kl_optim_row *row
        cdef kl_interval span
        cdef int k
        p = self.reader.take(owner, a, "parameters")
        g = self.reader.take(given, &b, "gradients")
        self.check_gradient(p, g, &b)
        if self.clear:
            self.cleared.append(given)
        row = self.append(group)
        self.moved = self.moved or row.size != a.layout.size
        row.grad = b.layout.data
        row.size = a.layout.size
        row.dtype = a.dtype
        row.grad_storage = b.storage
        row.fresh = self.fresh is not None and id(owner) in self.fresh
        self.written.append(p)
        self.gradients.append(g)
        span.first = span.last = 0
        if given is not owner:
            span = kl_extent(&b.layout)
        self.give(span)
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

    cdef int check_gradient(self, object p, object g, const Array *b) except -1:
        """Raises unless g, told by b, is one that p can be stepped by."""
        if not kl_same_sizes(&self.like.layout, &b.layout):
            raise ValueError(f"{self.op}: the gradient {tuple(g.shape)} does not have the shape "
                             f"of its parameter {tuple(p.shape)}")
        if b.dtype != self.like.dtype:
            raise TypeError(f"{self.op}: a gradient of {g.dtype} does not go with a parameter of "
                            f"{p.dtype}")
        if self.clear:
            self.check_distinct(&b.layout, "gradients, which are to be zeroed,")
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
        for d in range(a.ndim if a.size > 0 else 0):
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
        self.written.append(t)
        return 0

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
        self.written.append(taken)
        return 0

    cdef int refuse_state(self, int k, object t) except -1:
        raise TypeError(f"{self.op}: state {self.key(k)!r} of {t.dtype} does not go with "
                        "its parameter or the rest of the state")

    cdef object make(self, int k, object owner, double value, bint wide):
        if k == MASTER:
            return self.torch.new_master(owner)
        if k < self.numbers:
            return self.torch.new_number(value)
        return self.torch.new_array(owner, value, wide)

    cdef int run(self) except -1:
        """All rows in one region, or one by one where written tensors share memory."""
        cdef int64_t start, together
        cdef Py_ssize_t place = 0
        self.order()
        self.increment_version(self.written)
        cdef bint later = self.clear and (
            self.strided or self.share_memory(self.written + self.cleared))
        if later:  # a gradient that two rows read keeps its value for the second
            for start in range(self.count):
                self.rows[start].clear = False
        together = 1 if self.ordered else max(self.count, 1)
        for start in range(0, self.count, together):
            copies = self.stand_in(start, start + together, &place) if self.strided else ()
            self.launch(start, together)
            if copies:
                self.torch.put_back(copies)
        if later:
            self.torch.clear(self.cleared)
        elif self.clear:
            self.increment_version(self.cleared)
        if self.drawn:
            for group, state in self.drawn:
                group["rounding_state"] = state
        return 0

    cdef list stand_in(self, int64_t start, int64_t stop, Py_ssize_t *place):
        """Points rows at dense copies in one order; returns pairs (tensor, copy) to put back.
        `place` is where the tensors of the first row stand."""
        cdef list copies = []
        cdef kl_optim_row *row
        cdef int64_t i
        cdef int k
        for i in range(start, stop):
            row = &self.rows[i]
            like = self.stand_in_param(row, self.next_written(place), copies)
            row.grad = self.beside(
                self.gradients[i], row.grad, like, [], self.is_crossed(i))
            if row.rounded is not NULL:
                row.param = self.beside(
                    self.next_written(place), row.param, like, copies, False)
            for k in range(len(self.keys)):
                if not self.exists(k, &self.groups[i]):
                    continue
                t = self.next_written(place)
                if k >= self.numbers:
                    row.state[k - self.numbers] = self.beside(
                        t, row.state[k - self.numbers], like, copies, False)
        return copies

    cdef object next_written(self, Py_ssize_t *place):
        place[0] += 1
        return self.written[place[0] - 1]

    cdef object stand_in_param(self, kl_optim_row *row, object p, list copies):
        """The parameter, or its copy: what all of its row is to go with, and now in `like`."""
        cdef Array *a = &self.like
        self.reader.take(p, a, "parameters")
        if kl_is_dense(&a.layout) and self.in_order(row, &a.layout):
            return p
        p = self.dense(p, p, a, copies, row.stochastic)
        if row.rounded is not NULL:
            row.rounded = a.layout.data
        else:
            row.param = a.layout.data
        return p

    cdef void *beside(self, object t, void *data, object like, list copies,
                      bint apart) except? NULL:
        """Where t, which lies at data, or its copy can be walked beside the row's parameter."""
        cdef Array b
        self.reader.take(t, &b, "tensors")
        if not apart and kl_goes_with(&b.layout, &self.like.layout):
            return data
        self.dense(t, like, &b, copies, False)
        return b.layout.data

    cdef object dense(self, object t, object like, Array *a, list copies, bint packed):
        """A copy of t with the memory order of `like`, or that of the indices, described in a and
        held."""
        copy = self.torch.dense_copy(t, like, packed)
        self.room.append(copy)
        copies.append((t, copy))
        self.reader.take(copy, a, "tensors")
        return copy

    cdef int extent(self, object t, kl_interval *out) except -1:
        cdef Described d
        cdef kl_strided layout
        self.reader.look_at(t, &d, "tensors")
        layout = layout_of(&d)
        out[0] = kl_extent(&layout)
        return 0
