from libc.stdint cimport int64_t, uint64_t

from kael._kernels.layout cimport kl_interval
from kael._kernels.runtime cimport kl_runtime


cdef extern from "kael/config.h" nogil:
    int64_t kl_itemsize(int dtype)


cdef extern from "kael/optim/row.h" nogil:
    enum:
        KL_OPTIM_OPTIONS
        KL_OPTIM_NUMBERS
        KL_OPTIM_STATES
        KL_OPTIM_KEPT
        KL_STORAGE_plain
        KL_STORAGE_bf16
        KL_STORAGE_f16

    struct kl_optim_row:
        void *param
        void *grad
        void *state[KL_OPTIM_STATES]
        int64_t size
        int dtype
        int variant
        int param_storage
        int grad_storage
        int state_storage
        int rounded_storage
        void *rounded
        bint stochastic
        uint64_t seed
        uint64_t draw
        double factor
        bint clear
        bint fresh
        void *place[KL_OPTIM_NUMBERS]
        int place_dtype[KL_OPTIM_NUMBERS]

    struct kl_optim_rule:
        const char *name
        const char *options
        const char *flags
        const char *numbers
        const char *states

    ctypedef int (*kl_optim_driver)(const kl_runtime *rt, int rule, kl_optim_row *rows,
                                    int64_t count, bint backward) noexcept

    void kl_optim_commit(const kl_optim_rule *rule, kl_optim_row *row,
                         const double *option) noexcept


cdef extern from "kael/intervals.h":
    struct kl_intervals:
        kl_interval *interval
        int64_t count
        int64_t capacity

    bint kl_intervals_clear(kl_intervals *set, int64_t capacity)
    void kl_intervals_add(kl_intervals *set, kl_interval one)
    bint kl_intervals_settle(kl_intervals *set)
    bint kl_intervals_meet(const kl_intervals *set, kl_interval one)


# What a group of parameters says: the rule's options as numbers, its flags as bits.
cdef struct Group:
    double option[KL_OPTIM_OPTIONS]
    int variant


# In place of a key's number: the f32 parameter of which one of 16 bits is the rounding.
cdef enum:
    MASTER = -1


# A number or an array that the rule keeps for each parameter.
cdef struct Kept:
    int needs           # bits of the variant without which it does not exist
    int option          # the option whose value it starts with, or -1
    double first        # else this number


cdef class Step:
    cdef kl_optim_row *rows
    cdef Group *groups              # of each row
    cdef int64_t count
    cdef int64_t capacity
    cdef double factor              # of every gradient
    cdef bint clear                 # leave zeros in the gradients
    cdef bint backward              # from the end of memory: in every other step
    cdef bint moved                 # some written array lies elsewhere than in the last step,
    cdef bint given_moved           # or some gradient
    cdef int number                 # of the rule
    cdef const kl_optim_rule *rule
    cdef kl_optim_driver driver
    cdef readonly str op
    cdef readonly tuple options     # (key, index into a pair or -1)
    cdef tuple option_keys
    cdef int option_index[KL_OPTIM_OPTIONS]
    cdef readonly tuple flags
    cdef readonly tuple keys        # of what is kept: numbers first, then arrays
    cdef int numbers                # how many of them are numbers
    cdef Kept kept[KL_OPTIM_KEPT]   # in the order of keys
    cdef object lock                # one step at a time
    cdef int64_t forks              # count of forks when the lock was made
    # The tensors of the rows, held while the GIL is released: what the step changes (a row's
    # parameter, its master if it has one, what is kept of `keys` in their order), and a gradient
    # for each row.
    cdef list written
    cdef list gradients
    cdef bint strided               # some tensor needs a dense copy
    cdef bint ordered               # one region for each row, in order: what one reads or writes,
    cdef bint crowded               # another writes,
    cdef bint crossed               # or it reads, as its gradient, what is written
    cdef kl_intervals written_bytes  # where the written tensors lie
    cdef kl_interval *given         # where the gradient of each row lies
    cdef int64_t compared           # rows that were compared for that
    cdef list missing               # (parameter, its state or None, key number, value, is wide)
    cdef set fresh                  # ids of the parameters whose state this step has made

    # The lock, to be held for the length of a step.
    cpdef object alone(self)
    # Makes this a step of the rule.
    cdef int declare(self, int number, const kl_optim_rule *rule, kl_optim_driver driver) except -1
    # What a group says.
    cdef int read(self, dict group, Group *out) except -1
    cdef object half(self, str key, object pair, int index)
    # Whether key k exists in a group, and the value it starts with.
    cdef bint exists(self, int k, const Group *group) noexcept
    cdef double first(self, int k, const Group *group) noexcept
    # One more row, plain and with this step's factor. Arrays that do not exist are NULL; the
    # others (through `point` where they are written), size and dtype are for the caller to fill in.
    cdef kl_optim_row *append(self, const Group *group) except NULL
    cdef int grow(self) except -1
    cdef void *grown(self, void *block, int64_t capacity, size_t size) except NULL
    # What the state has under key k, or a note that it is missing. How its tensors are told, looked
    # at and made is the subclass's.
    cdef int add_kept(self, kl_optim_row *row, int k, object owner, dict s,
                      const Group *group) except -1
    cdef bint is_tensor(self, object thing) except -1
    cdef int place_number(self, kl_optim_row *row, int k, object owner, object t, dict s) except -1
    cdef int place_array(self, kl_optim_row *row, int k, object owner, object t) except -1
    cdef object make(self, int k, object owner, double value, bint wide)
    cdef str key(self, int k)
    # Makes all of the absent state, then attaches it.
    cdef int create(self, object state) except -1
    # Points at an array that the step writes, and notes whether it has moved.
    cdef void point(self, void **slot, void *data) noexcept
    # The bytes between which a tensor lies, none if it is empty: the subclass's.
    cdef int extent(self, object t, kl_interval *out) except -1
    # Says where the gradient of the row just added lies, unless it is the parameter itself.
    cdef void give(self, kl_interval one) noexcept
    # Whether the gradient of row i may change while rows are written: it needs a copy.
    cdef bint is_crossed(self, int64_t i) noexcept
    # Whether any two of the tensors overlap, as their extents see it.
    cdef bint share_memory(self, list tensors) except -1
    cdef bint settle(self, list tensors, kl_intervals *intervals) except -1
    # Finds out what `ordered` tells, where it can have changed.
    cdef int order(self) except -1
    # Bytes that a step of the rows touches.
    cdef int64_t bytes_of_rows(self, const kl_optim_row *rows, int64_t count) noexcept
    # Advances the numbers of rows [start, start + count), then updates the rows.
    cdef int launch(self, int64_t start, int64_t count) except -1


# state[p], or None; `place` is where the last one stood.
cdef dict kept_of(object state, object p, Py_ssize_t *place)
