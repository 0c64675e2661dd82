"""Boundary of kael.torch.optim: the memory of PyTorch's tensors becomes the rows of the table.

No header of PyTorch's is compiled in. A tensor is described by DLPack's C exchange API, which
PyTorch has since 2.10 (some 25 ns for each), or else by its Python attributes. What PyTorch itself
must do (make state, copy strided memory, count versions) is in kael/torch/tensors.py.

As in plan.pyx, a step collects and validates first; a refused one changes nothing.
"""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.exc cimport PyErr_Clear
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free, malloc

from kael._kernels.dlpack cimport CPU, Described
from kael._kernels.optim cimport declare, numbers
from kael._kernels.step cimport (
    KL_STORAGE_bf16, KL_STORAGE_f16, KL_STORAGE_plain, Group, Interval, Step, any_overlap,
    kl_optim_row,
)
from kael._kernels.tensor cimport (
    KL_DTYPE_f32, KL_DTYPE_f64, KL_DTYPE_i32, KL_DTYPE_i64, KL_DTYPE_u8,
)


ctypedef int (*describe_function)(void *tensor, Described *out) noexcept

# DLPackExchangeAPI, the layout of which is an ABI; only `describe` is called.
cdef struct ExchangeApi:
    uint32_t major
    uint32_t minor
    void *previous
    void *allocate
    void *to_managed
    void *from_managed
    describe_function describe
    void *stream

# Codes of DLPack's element types.
cdef enum:
    INTEGER = 0
    UNSIGNED = 1
    FLOAT = 2
    BFLOAT = 4
    COMPLEX = 5

# A row's tensors in TorchStep.tensors, None where there is none: parameter, gradient, what is kept.
cdef enum:
    GRADIENT = 1
    KEPT = 2
    PER_ROW = 8


# What a tensor is. Shape and strides belong to the tensor.
cdef struct Array:
    char *data
    int64_t size
    int64_t itemsize
    int dtype            # that a rule computes in, f32 or f64; -1 where it is none of ours
    int storage
    int ndim
    const int64_t *shape
    const int64_t *strides


cdef class TorchStep(Step):
    """A step of the rule of that name; ``op`` is how messages call it."""
    cdef describe_function describe
    cdef object torch              # kael.torch.tensors
    cdef object tensor_type
    cdef object parameter_type
    cdef list tensors              # PER_ROW for each row; holds them while the GIL is released
    cdef list written              # those that the step changes
    cdef list missing              # (parameter, its state or None, key, is a number, value)
    cdef list room                 # sizes and strides of tensors described by their attributes
    cdef set fresh                 # ids of the parameters whose state this step has made
    cdef bint strided              # some tensor needs a stand-in
    cdef bint ordered              # some written tensors share memory: one region each, in order
    cdef int64_t compared          # rows among which shared memory was looked for

    def __init__(self, str rule, str op, tensors):
        declare(self, numbers[rule])
        self.op = op
        self.torch = tensors
        self.tensor_type = tensors.Tensor
        self.parameter_type = tensors.Parameter
        self.describe = exchange_of(tensors.exchange_api())

    def step(self, list groups, object state, double factor=1.0):
        """Updates the parameters that have a gradient, times a factor; creates absent state."""
        with self.alone():
            self.factor = factor
            try:
                self.collect(groups, state)
                if self.missing:
                    self.create(state)
                    self.collect(groups, state)
                self.run()
            finally:
                self.forget()

    def update(self, list params, list grads, list states, dict group, double factor=1.0):
        """The same from lists; states are dicts, which may lack what is absent."""
        with self.alone():
            self.factor = factor
            try:
                self.collect_lists(params, grads, states, group)
                if self.missing:
                    self.create(None)
                    self.collect_lists(params, grads, states, group)
                self.run()
            finally:
                self.forget()

    cdef int begin(self) except -1:
        self.count = 0
        self.tensors = []
        self.written = []
        self.missing = []
        self.room = []
        self.strided = False
        return 0

    cdef int forget(self) except -1:
        self.tensors = self.written = self.missing = self.room = self.fresh = None
        return 0

    cdef int collect(self, list groups, object state) except -1:
        """A row for each parameter that has a gradient."""
        cdef dict group
        cdef Group options
        cdef Py_ssize_t place = 0
        self.begin()
        for group in groups:
            self.read(group, &options)
            for p in <list?> group["params"]:
                g = p.grad
                if g is not None:
                    self.add(p, g, kept_of(state, p, &place), &options)
        return 0

    cdef int collect_lists(self, list params, list grads, list states, dict group) except -1:
        cdef Group options
        cdef Py_ssize_t i
        self.begin()
        self.read(group, &options)
        for i in range(len(params)):
            self.add(params[i], grads[i], states[i], &options)
        return 0

    cdef int add(self, object owner, object g, dict s, const Group *group) except -1:
        """A row for a parameter, its gradient and its state, which may be absent."""
        cdef Array a, b
        cdef kl_optim_row *row
        cdef int k
        p = self.take(owner, &a, "parameters")
        g = self.take(g, &b, "gradients")
        if not same_shape(&a, &b):
            raise ValueError(f"{self.op}: the gradient {tuple(g.shape)} does not have the shape "
                             f"of its parameter {tuple(p.shape)}")
        if b.dtype != a.dtype:
            raise TypeError(f"{self.op}: a gradient of {g.dtype} does not go with a parameter of "
                            f"{p.dtype}")
        row = self.append(group)
        self.moved = self.moved or row.size != a.size
        self.point(&row.param, a.data)
        row.grad = b.data
        row.size = a.size
        row.dtype = a.dtype
        row.param_storage = a.storage
        row.grad_storage = b.storage
        row.fresh = self.fresh is not None and id(owner) in self.fresh
        self.tensors += (p, g, None, None, None, None, None, None)
        self.written.append(owner)
        if not (is_plain(&a) and goes_with(&b, &a)):
            self.strided = True
        for k in range(len(self.keys)):
            if self.exists(k, group):
                self.add_kept(row, k, owner, &a, s, group)
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
        elif type(found) is self.tensor_type or isinstance(found, self.tensor_type):
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
        self.look_at(t, &d, "numbers of the state")
        if count_of(d.ndim, d.shape) != 1:
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
        taken = self.take(t, &b, "states")
        if not same_shape(a, &b):
            raise ValueError(f"{self.op}: state {self.keys[k]!r} {tuple(t.shape)} does not have "
                             "the shape of its parameter")
        if b.dtype != a.dtype or (k > self.numbers and b.storage != row.state_storage):
            raise TypeError(f"{self.op}: state {self.keys[k]!r} of {t.dtype} does not go with "
                            "its parameter or the rest of the state")
        row.state_storage = b.storage
        self.point(&row.state[k - self.numbers], b.data)
        if not goes_with(&b, a):
            self.strided = True
        return self.keep(t, taken, k)

    cdef int keep(self, object t, object taken, int k) except -1:
        """Tensor k of the row just added, and what stands for it."""
        self.tensors[PER_ROW * (self.count - 1) + KEPT + k] = taken
        self.written.append(t)
        return 0

    cdef object take(self, object t, Array *a, str what):
        """Fills a; returns t, or a real view of a complex one."""
        cdef Described d
        self.look_at(t, &d, what)
        if d.dtype.code == COMPLEX and d.dtype.bits in (64, 128):
            t = self.torch.real(t, self.op, what)
            self.look_at(t, &d, what)
        a.data = <char *> d.data + d.byte_offset
        a.itemsize = d.dtype.bits // 8
        a.ndim = d.ndim
        a.shape = d.shape
        a.strides = d.strides
        a.size = count_of(d.ndim, d.shape)
        a.storage = KL_STORAGE_plain
        a.dtype = KL_DTYPE_f32
        if d.dtype.code == FLOAT and d.dtype.bits == 64:
            a.dtype = KL_DTYPE_f64
        elif d.dtype.code == BFLOAT and d.dtype.bits == 16:
            a.storage = KL_STORAGE_bf16
        elif d.dtype.code == FLOAT and d.dtype.bits == 16:
            a.storage = KL_STORAGE_f16
        elif d.dtype.code != FLOAT or d.dtype.bits != 32:
            self.torch.refuse(t, self.op, what)
        # A negated view, which PyTorch makes of imaginary parts, is never contiguous.
        if (a.size == 1 or not is_packed(a)) and t.is_neg():
            t = t.resolve_neg() if what == "gradients" else self.torch.refuse(t, self.op, what)
            return self.take(t, a, what)
        return t

    cdef int look_at(self, object t, Described *d, str what) except -1:
        """Describes a tensor, or raises what says why it cannot be taken."""
        if type(t) is not self.tensor_type and type(t) is not self.parameter_type:
            self.torch.check_kind(t, self.op, what)
        if self.describe is NULL:
            self.torch.check_place(t, self.op, what)
            return self.look_slowly(t, d)
        if self.describe(<void *> <PyObject *> t, d) != 0:
            PyErr_Clear()
            self.torch.refuse(t, self.op, what)
        if d.device.kind != CPU:
            self.torch.refuse(t, self.op, what)
        return 0

    cdef int look_slowly(self, object t, Described *d) except -1:
        cdef int k
        cdef tuple shape = tuple(t.shape), strides = t.stride()
        sizes = bytearray((2 * len(shape) + 1) * sizeof(int64_t))
        self.room.append(sizes)
        d.data = <void *> <size_t> t.data_ptr()
        d.byte_offset = 0
        d.ndim = len(shape)
        d.shape = <int64_t *> <char *> sizes
        d.strides = d.shape + d.ndim
        d.dtype.code, d.dtype.bits = self.torch.element_type(t)
        for k in range(d.ndim):
            d.shape[k] = shape[k]
            d.strides[k] = strides[k]
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
            self.ordered = self.share_memory()
            self.moved = False
            self.compared = self.count
        self.torch.increment_version(self.written)
        together = 1 if self.ordered else max(self.count, 1)
        for start in range(0, self.count, together):
            copies = self.stand_in(start, start + together) if self.strided else ()
            self.launch(start, together)
            if copies:
                self.torch.put_back(copies)
        return 0

    cdef list stand_in(self, int64_t start, int64_t stop):
        """Points rows at dense copies in one order; returns the pairs (tensor, copy) to put back."""
        cdef list copies = []
        cdef Array a, b
        cdef int64_t i
        cdef int k
        for i in range(start, stop):
            p = self.take(self.tensors[PER_ROW * i], &a, "parameters")
            if not is_plain(&a):
                p = self.dense(p, p, &a, copies)
                self.rows[i].param = a.data
            for k in range(GRADIENT, PER_ROW):
                t = self.tensors[PER_ROW * i + k]
                if t is None or KEPT <= k < KEPT + self.numbers:
                    continue
                self.take(t, &b, "tensors")
                if goes_with(&b, &a):
                    continue
                self.dense(t, p, &b, copies if k != GRADIENT else [])
                if k == GRADIENT:
                    self.rows[i].grad = b.data
                else:
                    self.rows[i].state[k - KEPT - self.numbers] = b.data
        return copies

    cdef object dense(self, object t, object like, Array *a, list copies):
        """A copy of t with the memory order of `like`, described in a and held."""
        copy = self.torch.dense_copy(t, like)
        self.room.append(copy)
        copies.append((t, copy))
        self.take(copy, a, "tensors")
        return copy

    cdef bint share_memory(self) except -1:
        """Whether any two written tensors (all but the gradients) overlap, as their hulls see it."""
        cdef int64_t used = 0
        cdef Py_ssize_t i
        cdef Described d
        cdef bint overlap
        cdef size_t size = (len(self.tensors) + 1) * sizeof(Interval)
        cdef Interval *intervals = <Interval *> malloc(size)
        if intervals is NULL:
            raise MemoryError(f"{self.op}: no memory to compare the parameters' places")
        try:
            for i in range(len(self.tensors)):
                t = self.tensors[i]
                if t is None or i % PER_ROW == GRADIENT:
                    continue
                self.look_at(t, &d, "tensors")
                if count_of(d.ndim, d.shape) > 0:
                    intervals[used] = extent(&d)
                    used += 1
            overlap = any_overlap(intervals, used)
        finally:
            free(intervals)
        return overlap


cdef describe_function exchange_of(object capsule) except? NULL:
    """The function that describes a tensor; NULL without an API of version 1."""
    cdef ExchangeApi *api
    if capsule is None:
        return NULL
    api = <ExchangeApi *> PyCapsule_GetPointer(capsule, b"dlpack_exchange_api")
    while api is not NULL and api.major != 1:
        api = <ExchangeApi *> api.previous
    return NULL if api is NULL else api.describe


cdef dict kept_of(object state, object p, Py_ssize_t *place):
    """state[p], or None. State stands mostly in the order of the parameters, so the next entries
    are tried before the hash, which PyTorch computes in Python."""
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t next = place[0]
    cdef int tried
    for tried in range(4):
        if not PyDict_Next(state, &next, &key, &value):
            break
        if key == <PyObject *> p:
            place[0] = next
            return <dict?> <object> value
    value = PyDict_GetItemWithError(state, p)
    return None if value is NULL else <dict?> <object> value


cdef int64_t count_of(int ndim, const int64_t *shape) noexcept:
    cdef int64_t size = 1
    cdef int d
    for d in range(ndim):
        size *= shape[d]
    return size


cdef bint same_shape(const Array *a, const Array *b) noexcept:
    cdef int d
    if a.ndim != b.ndim:
        return False
    for d in range(a.ndim):
        if a.shape[d] != b.shape[d]:
            return False
    return True


cdef int number_dtype(const Described *d) noexcept:
    """The dtype of a number of the state, -1 where it is none that a step can advance."""
    cdef int code = d.dtype.code, bits = d.dtype.bits
    if code == FLOAT:
        return KL_DTYPE_f32 if bits == 32 else KL_DTYPE_f64 if bits == 64 else -1
    if code == INTEGER:
        return KL_DTYPE_i64 if bits == 64 else KL_DTYPE_i32 if bits == 32 else -1
    return KL_DTYPE_u8 if code == UNSIGNED and bits == 8 else -1


cdef bint is_packed(const Array *a) noexcept:
    """Row-major without gaps."""
    cdef int64_t expected = 1
    cdef int d
    for d in range(a.ndim - 1, -1, -1):
        if a.shape[d] != 1:
            if a.strides[d] != expected:
                return a.size == 0
            expected *= a.shape[d]
    return True


cdef bint is_plain(const Array *a) noexcept:
    """Dense in some order of its dims, and aligned: the kernel may walk it."""
    cdef int64_t expected = 1
    cdef int d, found
    if (<size_t> a.data) % <size_t> a.itemsize != 0:
        return False
    if is_packed(a):
        return True
    while expected < a.size:
        found = -1
        for d in range(a.ndim):
            if a.shape[d] != 1 and a.strides[d] == expected:
                found = d
        if found < 0:
            return False
        expected *= a.shape[found]
    return True


cdef bint goes_with(const Array *b, const Array *a) noexcept:
    """Whether b, of a's shape, can be walked beside a: in the same order, and aligned."""
    cdef int d
    if (<size_t> b.data) % <size_t> b.itemsize != 0:
        return False
    for d in range(a.ndim):
        if a.shape[d] != 1 and a.strides[d] != b.strides[d]:
            return a.size == 0
    return True


cdef Interval extent(const Described *d) noexcept:
    cdef Interval result
    cdef int64_t itemsize = d.dtype.bits // 8
    cdef int k
    result.first = <size_t> d.data
    result.last = result.first + itemsize
    for k in range(d.ndim):
        result.last += d.strides[k] * (d.shape[k] - 1) * itemsize
    return result
