"""The C table of an optimizer's step, and what its rule declares: which options and flags it reads
from a group of parameters, what it keeps as state.

Whoever fills the table (plan.pyx from kael's tensors, torch_step.pyx from PyTorch's) validates
first; `launch` cannot be refused.
"""

import os
import threading

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime


# How many forks lie between the first process and this one: a lock that was held at the fork stays
# held in the child, so every step takes a new one there.
cdef int64_t forks = 0


def count_fork():
    """Runs in the child of every fork."""
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)


cdef class Step:
    """Rows of one rule, kept between steps: room is reserved only when their number grows.

    Made without a rule it is the lock alone, of the optimizers whose step is not one call."""

    def __cinit__(self):
        self.factor = 1.0
        self.forks = forks
        self.lock = threading.RLock()

    def __dealloc__(self):
        free(self.rows)
        free(self.groups)
        free(self.given)
        free(self.written_bytes.interval)

    cpdef object alone(self):
        if self.forks != forks:
            self.forks = forks
            self.lock = threading.RLock()
        return self.lock

    cdef int declare(self, int number, const kl_optim_rule *rule, kl_optim_driver driver) except -1:
        self.number = number
        self.rule = rule
        self.driver = driver
        self.op = rule.name.decode()
        self.options = tuple([split_index(word) for word in rule.options.decode().split()])
        self.option_keys = tuple([key for key, _ in self.options])
        for i in range(len(self.options)):
            self.option_index[i] = self.options[i][1]
        self.flags = tuple(rule.flags.decode().split())
        numbers = rule.numbers.decode().split()
        self.numbers = len(numbers)
        keys = []
        for word in numbers + rule.states.decode().split():
            keys.append(parse(word, self.options, self.flags, &self.kept[len(keys)]))
        self.keys = tuple(keys)
        return 0

    cdef int read(self, dict group, Group *out) except -1:
        cdef int i
        out.variant = 0
        for i in range(len(self.option_keys)):
            value = group[self.option_keys[i]]
            if self.option_index[i] >= 0:
                value = self.half(self.option_keys[i], value, self.option_index[i])
            out.option[i] = float(value)
        for i in range(len(self.flags)):
            if group[self.flags[i]]:
                out.variant |= 1 << i
        return 0

    cdef object half(self, str key, object pair, int index):
        """One of a pair of numbers."""
        try:
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(
                f"{self.op}: {key} must be a pair of numbers, got {pair!r}") from None
        return second if index else first

    cdef bint exists(self, int k, const Group *group) noexcept:
        return group.variant & self.kept[k].needs == self.kept[k].needs

    cdef double first(self, int k, const Group *group) noexcept:
        cdef int option = self.kept[k].option
        return self.kept[k].first if option < 0 else group.option[option]

    cdef kl_optim_row *append(self, const Group *group) except NULL:
        cdef int k
        if self.count == self.capacity:
            self.grow()
        cdef kl_optim_row *row = &self.rows[self.count]
        self.groups[self.count] = group[0]
        self.count += 1
        row.variant = group.variant
        row.fresh = row.stochastic = False
        row.factor = self.factor
        row.clear = self.clear
        row.param_storage = row.grad_storage = row.state_storage = KL_STORAGE_plain
        for k in range(len(self.keys)):
            if not self.exists(k, group):
                row.state[k - self.numbers] = NULL
        return row

    cdef int add_kept(self, kl_optim_row *row, int k, object owner, dict s,
                      const Group *group) except -1:
        cdef PyObject *entry = NULL if s is None else PyDict_GetItemWithError(s, self.keys[k])
        found = None if entry is NULL else <object> entry
        cdef bint single = k < self.numbers, wide = row.rounded is not NULL
        if found is None:
            self.missing.append((owner, s, k, self.first(k, group), wide))
        elif self.is_tensor(found):
            if single:
                self.place_number(row, k, owner, found, s)
            else:
                self.place_array(row, k, owner, found)
        elif single:
            self.missing.append((owner, s, k, float(found), wide))
        else:
            raise TypeError(f"{self.op}: state {self.keys[k]!r} must be a Tensor, "
                            f"got {type(found).__name__}")
        return 0

    cdef bint is_tensor(self, object thing) except -1:
        raise NotImplementedError

    cdef int place_number(self, kl_optim_row *row, int k, object owner, object t, dict s) except -1:
        raise NotImplementedError

    cdef int place_array(self, kl_optim_row *row, int k, object owner, object t) except -1:
        raise NotImplementedError

    cdef object make(self, int k, object owner, double value, bint wide):
        raise NotImplementedError

    cdef str key(self, int k):
        return "master_param" if k == MASTER else self.keys[k]

    cdef int create(self, object state) except -1:
        made = [(p, s, k, self.make(k, p, value, wide)) for p, s, k, value, wide in self.missing]
        for p, s, k, value in made:
            if s is None:
                s = state.setdefault(p, {})
            s[self.key(k)] = value
        self.fresh = {id(entry[0]) for entry in self.missing if entry[2] != MASTER}
        return 0

    cdef void point(self, void **slot, void *data) noexcept:
        self.moved = self.moved or slot[0] != data
        slot[0] = data

    cdef int extent(self, object t, kl_interval *out) except -1:
        raise NotImplementedError

    cdef void give(self, kl_interval one) noexcept:
        cdef kl_interval *last = &self.given[self.count - 1]
        if last.first != one.first or last.last != one.last:
            last[0] = one
            self.given_moved = True

    cdef bint is_crossed(self, int64_t i) noexcept:
        return self.crossed and kl_intervals_meet(&self.written_bytes, self.given[i])

    cdef bint share_memory(self, list tensors) except -1:
        cdef kl_intervals intervals
        intervals.interval = NULL
        intervals.count = intervals.capacity = 0
        try:
            return self.settle(tensors, &intervals)
        finally:
            free(intervals.interval)

    cdef bint settle(self, list tensors, kl_intervals *intervals) except -1:
        """Fills the set with the tensors' bytes; whether any two overlap."""
        cdef kl_interval one
        if not kl_intervals_clear(intervals, len(tensors)):
            raise MemoryError(f"{self.op}: no memory to compare where the parameters lie")
        for t in tensors:
            self.extent(t, &one)
            kl_intervals_add(intervals, one)
        return kl_intervals_settle(intervals)

    cdef int order(self) except -1:
        """Where strided tensors begin tells too little: they are always compared."""
        cdef bint anew = self.moved or self.strided or self.count > self.compared
        cdef int64_t i
        if anew:
            self.crowded = self.settle(self.written, &self.written_bytes)
            self.moved = False
            self.compared = self.count
        if anew or self.given_moved:
            self.crossed = False
            for i in range(self.count):
                if kl_intervals_meet(&self.written_bytes, self.given[i]):
                    self.crossed = True
                    break
            self.given_moved = False
        self.ordered = self.crowded or self.crossed
        self.strided = self.strided or self.crossed
        return 0

    cdef int grow(self) except -1:
        cdef int64_t capacity = 2 * self.capacity + 8
        cdef int64_t added = capacity - self.capacity
        self.rows = <kl_optim_row *> self.grown(self.rows, capacity, sizeof(kl_optim_row))
        memset(&self.rows[self.capacity], 0, added * sizeof(kl_optim_row))
        self.groups = <Group *> self.grown(self.groups, capacity, sizeof(Group))
        self.given = <kl_interval *> self.grown(self.given, capacity, sizeof(kl_interval))
        memset(&self.given[self.capacity], 0, added * sizeof(kl_interval))
        self.capacity = capacity
        return 0

    cdef void *grown(self, void *block, int64_t capacity, size_t size) except NULL:
        block = realloc(block, capacity * size)
        if block is NULL:
            raise MemoryError(f"{self.op}: no memory for {capacity} parameters")
        return block

    cdef int64_t bytes_of_rows(self, const kl_optim_row *rows, int64_t count) noexcept:
        """Parameters and states are read and written, gradients read (or cleared as well)."""
        cdef int64_t i, elements, nbytes = 0
        cdef int k
        for i in range(count):
            nbytes += rows[i].size * (
                2 * width_of(&rows[i], rows[i].param_storage)
                + (2 if rows[i].clear else 1) * width_of(&rows[i], rows[i].grad_storage))
            elements = 0
            for k in range(KL_OPTIM_STATES):
                elements += rows[i].size if rows[i].state[k] is not NULL else 0
            nbytes += 2 * elements * width_of(&rows[i], rows[i].state_storage)
            nbytes += 4 * rows[i].size if rows[i].rounded is not NULL else 0
        return nbytes

    cdef int launch(self, int64_t start, int64_t count) except -1:
        cdef const kl_runtime *rt = runtime()
        cdef const kl_optim_rule *rule = self.rule
        cdef kl_optim_row *rows = self.rows + start
        cdef Group *groups = self.groups + start
        cdef kl_optim_driver driver = self.driver
        cdef bint backward = self.backward
        cdef int number = self.number, status
        cdef int64_t i
        cdef kl_op op
        if rt.begin is not NULL:
            rt.begin(&op)
        with nogil:
            for i in range(count):
                kl_optim_commit(rule, &rows[i], groups[i].option)
            status = driver(rt, number, rows, count, backward)
        self.backward = not backward
        if rt.begin is not NULL:
            end_op(&op, self.op, self.bytes_of_rows(rows, count), 0)
        return check(status, self.op)


cdef dict kept_of(object state, object p, Py_ssize_t *place):
    """state[p], or None. State stands mostly in the order of the parameters, so the next entries
    are tried before the hash, which is a call (of PyTorch's tensors, one of Python)."""
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


cdef int64_t width_of(const kl_optim_row *row, int storage) noexcept:
    return kl_itemsize(row.dtype) if storage == KL_STORAGE_plain else 2


cdef tuple split_index(str word):
    """("betas", 1) for "betas[1]", ("lr", -1) for "lr"."""
    key, _, index = word.partition("[")
    return key, int(index.rstrip("]")) if index else -1


cdef str parse(str word, tuple options, tuple flags, Kept *kept):
    """The key of `key`, `key=first` or `key?flag`; what the word says of it goes to kept."""
    key, _, flag = word.partition("?")
    key, _, first = key.partition("=")
    kept.needs = 1 << flags.index(flag) if flag else 0
    kept.option = options.index((first, -1)) if (first, -1) in options else -1
    kept.first = float(first) if first and kept.option < 0 else 0.0
    return key
