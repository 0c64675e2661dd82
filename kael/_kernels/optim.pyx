"""Boundary of the optimizers: every parameter of every group becomes a row of one C table.

A step collects (walks the groups, validates, appends a row per parameter that has a gradient),
creates the state that is missing and collects again, gathers (contiguous temporaries stand in for
strided tensors), and only then advances the step counters and runs the kernel with the GIL
released. A refused step therefore leaves parameters, state and counters as they were.
"""

import threading

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memset

from kael._kernels.elementwise import contiguous, copy_

from kael._kernels.runtime cimport check, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, TensorBase, begin_write, kl_is_float, kl_itemsize, new_like,
    new_number, same_shape,
)


cdef extern from "kael/optim.h":
    enum:
        KL_ADAM_AMSGRAD
        KL_ADAM_MAXIMIZE
        KL_ADAM_DECAY
        KL_ADAM_DECOUPLED
        KL_SGD_MOMENTUM
        KL_SGD_FIRST
        KL_SGD_NESTEROV
        KL_SGD_MAXIMIZE
        KL_SGD_DECAY
        KL_RULE_ADAM
        KL_RULE_SGD
        KL_RULE_SCALE
        KL_RULE_CLAMP

    struct kl_optim_tensor:
        void *param
        const void *grad
        void *state[3]
        int64_t size
        int dtype
        int variant
        bint frozen
        double scalar[8]

    void kl_adam_scalars(kl_optim_tensor *t, int64_t step, double lr, double beta1, double beta2,
                         double eps, double decay) nogil
    void kl_sgd_scalars(kl_optim_tensor *t, double lr, double decay, double momentum,
                        double dampening) nogil
    int64_t kl_optim_advance(void *step, int dtype) nogil
    int kl_optim_step(const kl_runtime *rt, int rule, kl_optim_tensor *tensors,
                      int64_t count) nogil


# A row's tensors in Plan.tensors, None where there is none: parameter, gradient, three states, and
# the step counter.
cdef enum:
    GRADIENT = 1
    STATES = 2
    COUNTER = 5
    PER_ROW = 6


# The hyperparameters of a row's group; a and b are the betas, or momentum and dampening.
cdef struct Hyper:
    double lr
    double decay
    double a
    double b
    double eps
    int variant


# Memory that a row writes.
cdef struct Interval:
    size_t first
    size_t last


cdef class Plan:
    """The table of an optimizer's step, kept between steps: room is reserved, and shared memory
    looked for, only when the set of tensors changes."""
    cdef kl_optim_tensor *rows
    cdef Hyper *hypers
    cdef int64_t count
    cdef int64_t capacity
    cdef list tensors       # PER_ROW for each row; holds them while the GIL is released
    cdef list missing       # (parameter, key, None or the number to store) of absent state
    cdef set created        # ids of the parameters whose state this step has made
    cdef bint strided       # some tensor needs a temporary
    cdef bint moved         # some written tensor lies elsewhere than in the last step
    cdef bint ordered       # some written tensors share memory: one region each, in order
    cdef object lock
    cdef str op
    cdef int rule

    def __cinit__(self):
        self.lock = threading.Lock()

    def __dealloc__(self):
        free(self.rows)
        free(self.hypers)

    def step(self, list groups, object state):
        """Updates the parameters of all groups; creates their state where it is absent."""
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
        if self.moved:
            self.ordered = share_memory(self.tensors)
            self.moved = False
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
        cdef int rule = self.rule
        cdef int status
        with nogil:
            status = kl_optim_step(rt, rule, rows, count)
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
    return t.contiguous and (<size_t> t.data) % <size_t> kl_itemsize(t.dtype) == 0


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


cdef class Adam(Plan):
    """Adam and AdamW; the formulas are in include/kael/optim.inc.h."""

    def __cinit__(self):
        self.op = "Adam"
        self.rule = KL_RULE_ADAM

    cdef int collect(self, list groups, object state) except -1:
        cdef dict group, s
        cdef Hyper hyper
        cdef TensorBase p, g
        cdef kl_optim_tensor *row
        for group in groups:
            read_adam(group, &hyper)
            for p in <list?> group["params"]:
                if p.grad_ is None:
                    continue
                g = p.grad_
                s = state_of(state, p)
                row = self.add(p, g, &hyper)
                self.add_counter(s)
                self.add_state(row, 0, s, "exp_avg")
                self.add_state(row, 1, s, "exp_avg_sq")
                if hyper.variant & KL_ADAM_AMSGRAD:
                    self.add_state(row, 2, s, "max_exp_avg_sq")
        return 0

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        cdef int64_t step = kl_optim_advance(counter.data, counter.dtype)
        kl_adam_scalars(row, step, hyper.lr, hyper.a, hyper.b, hyper.eps, hyper.decay)
        return 0


cdef int read_adam(dict group, Hyper *hyper) except -1:
    betas = group["betas"]
    hyper.lr = float(group["lr"])
    hyper.a = float(betas[0])
    hyper.b = float(betas[1])
    hyper.eps = float(group["eps"])
    hyper.decay = float(group["weight_decay"])
    hyper.variant = (
        (KL_ADAM_AMSGRAD if group["amsgrad"] else 0)
        | (KL_ADAM_MAXIMIZE if group["maximize"] else 0)
        | (KL_ADAM_DECAY if hyper.decay != 0 else 0)
        | (KL_ADAM_DECOUPLED if group["decoupled_weight_decay"] else 0)
    )
    return 0


cdef class SGD(Plan):
    """SGD; the formulas are in include/kael/optim.inc.h."""

    def __cinit__(self):
        self.op = "SGD"
        self.rule = KL_RULE_SGD

    cdef int collect(self, list groups, object state) except -1:
        cdef dict group
        cdef Hyper hyper
        cdef TensorBase p, g
        cdef kl_optim_tensor *row
        for group in groups:
            read_sgd(group, &hyper)
            for p in <list?> group["params"]:
                if p.grad_ is None:
                    continue
                g = p.grad_
                row = self.add(p, g, &hyper)
                if not hyper.variant & KL_SGD_MOMENTUM:
                    continue
                self.add_state(row, 0, state_of(state, p), "momentum_buffer")
                if self.created is not None and id(p) in self.created:
                    row.variant |= KL_SGD_FIRST
        return 0

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        kl_sgd_scalars(row, hyper.lr, hyper.decay, hyper.a, hyper.b)
        return 0


cdef int read_sgd(dict group, Hyper *hyper) except -1:
    hyper.lr = float(group["lr"])
    hyper.decay = float(group["weight_decay"])
    hyper.a = float(group["momentum"])
    hyper.b = float(group["dampening"])
    hyper.eps = 0.0
    hyper.variant = (
        (KL_SGD_MOMENTUM if hyper.a != 0 else 0)
        | (KL_SGD_NESTEROV if hyper.a != 0 and group["nesterov"] else 0)
        | (KL_SGD_MAXIMIZE if group["maximize"] else 0)
        | (KL_SGD_DECAY if hyper.decay != 0 else 0)
    )
    return 0


cdef class Clip(Plan):
    """Changes gradients in place: each is the parameter of its row."""
    cdef Hyper hyper

    cdef int collect(self, list groups, object state) except -1:
        cdef TensorBase g
        for g in groups:
            self.add(g, g, &self.hyper)
        return 0

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        row.frozen = False
        row.scalar[0] = hyper.a
        row.scalar[1] = hyper.b
        return 0


cdef int apply(list tensors, str op, int rule, double a, double b) except -1:
    cdef Clip plan = Clip.__new__(Clip)
    plan.op = op
    plan.rule = rule
    plan.hyper.a = a
    plan.hyper.b = b
    plan.step(tensors, None)
    return 0


def scale(list tensors, double factor):
    """Multiplies the tensors by a number, in one region."""
    apply(tensors, "clip_grad_norm_", KL_RULE_SCALE, factor, 0.0)


def clamp(list tensors, double low, double high):
    """Limits the tensors' elements to [low, high], NaN kept, in one region."""
    apply(tensors, "clip_grad_value_", KL_RULE_CLAMP, low, high)
