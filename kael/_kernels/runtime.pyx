"""Owner of the pool, the allocator and the instruction set: one of each per process.

Nothing is read from the environment at import. The first call that needs the runtime parses
``KAEL_ISA``, ``KAEL_NUM_THREADS`` and ``KAEL_NO_CACHING_ALLOCATOR``; a value that cannot be used
raises ``ValueError`` there, and the next call reads it again.
"""

from libc.errno cimport ENOMEM
from libc.stdint cimport INT64_MAX, int64_t
from libc.stdlib cimport getenv


cdef extern from "kael/process.h" nogil:
    enum:
        KL_ISA_COUNT
        kMaxThreads
        kMostEvents
    const char *KL_COMPILER
    const char *KAEL_FLAGS
    const char *KL_SANITIZER

    struct kl_isa_row_t "kl_isa_row":
        const char *name
        const char *title
        bint usable

    struct kl_allocator_stats:
        int64_t reserved_bytes, in_use_bytes, cached_bytes
        int64_t hits, misses

    # Each struct has one instance, of its own name (pool.h).
    struct kl_process_t "kl_process":
        int64_t cpus
        unsigned long long forks

    struct kl_self_t "kl_self":
        bint inside
        bint grad_disabled
        int callbacks

    struct kl_chunk:
        int64_t start
        int64_t end
        int thread

    kl_runtime kl_the_runtime
    kl_runtime kl_profiled_runtime
    kl_process_t kl_process
    kl_self_t kl_self

    kl_isa_row_t kl_isa_row(int isa)
    int kl_install_fork_handlers()
    int64_t kl_usable_cpus()
    int64_t kl_cgroup_cpus(const char *root)
    void kl_set_isa(int isa)
    void kl_count_profile()
    void kl_end_op(kl_op *op)
    void *kl_enter_python()
    void kl_leave_python(void *made)
    bint kl_take_chunk(kl_op *op, kl_chunk *chunk)
    bint kl_parse_number(const char *text, int64_t *value)
    int64_t kl_configured_threads()
    void kl_set_threads(int64_t threads)
    kl_allocator_stats kl_read_allocator()
    void kl_empty_cache()
    void kl_set_caching(bint caching)
    bint kl_caching()
    int64_t kl_block_capacity(int64_t nbytes)


# ---- First use ----

cdef bint ready = False
cdef bint plain = False  # ready, and no profile runs: the one question of runtime()
cdef bint handlers_installed = False
cdef str threads_source = "hardware"
cdef str isa_source = "hardware"


cdef str env_text(const char *value):
    return value.decode("utf-8", "surrogateescape")


cdef tuple isa_names(bint usable_only):
    cdef int isa
    return tuple([
        kl_isa_row(isa).name.decode()
        for isa in range(KL_ISA_COUNT) if kl_isa_row(isa).usable or not usable_only
    ])


cdef int isa_row(str name, str origin) except -1:
    """Row of a usable instruction set; the error lists them all."""
    cdef int isa
    usable = isa_names(True)
    for isa in range(KL_ISA_COUNT):
        if name in usable and kl_isa_row(isa).name.decode() == name:
            return isa
    raise ValueError(f"{origin} must be one of {', '.join(usable)} on this machine, got '{name}'")


cdef int64_t threads_of(const char *configured, int64_t cpus) except -1:
    cdef int64_t count
    if configured is NULL:
        return min(cpus, kMaxThreads)
    # strtoll would skip blanks and a sign: the whole string must be digits.
    text = env_text(configured)
    if text.isascii() and text.isdigit() and kl_parse_number(configured, &count):
        if 1 <= count <= kMaxThreads:
            return count
    raise ValueError(
        f"KAEL_NUM_THREADS must be an integer between 1 and {kMaxThreads}, got '{text}'")


cdef int start() except -1:
    """Parses every switch before anything is set, so that a failure leaves no trace."""
    global ready, handlers_installed, threads_source, isa_source
    cdef const char *isa_name = getenv("KAEL_ISA")
    cdef const char *threads_text = getenv("KAEL_NUM_THREADS")
    cdef int isa
    if isa_name is not NULL:
        isa = isa_row(env_text(isa_name), "KAEL_ISA")
    else:
        isa = isa_row(isa_names(True)[0], "KAEL_ISA")
    cdef int64_t cpus = kl_usable_cpus()
    cdef int64_t threads = threads_of(threads_text, cpus)
    if not handlers_installed:
        if kl_install_fork_handlers() == ENOMEM:
            raise MemoryError("kael: the system refused memory for its fork handlers")
        handlers_installed = True
    if getenv("KAEL_NO_CACHING_ALLOCATOR") is not NULL:
        kl_set_caching(False)
    kl_set_isa(isa)
    kl_process.cpus = cpus
    kl_set_threads(threads)
    threads_source = "hardware" if threads_text is NULL else "KAEL_NUM_THREADS"
    isa_source = "hardware" if isa_name is NULL else "KAEL_ISA"
    ready = True
    return 0


cdef const kl_runtime *runtime() except NULL:
    if plain:
        return &kl_the_runtime
    return uncommon_runtime()


cdef const kl_runtime *uncommon_runtime() except NULL:
    global plain
    if not ready:
        start()
    plain = profiles is None
    if plain:
        return &kl_the_runtime
    return &kl_profiled_runtime


cdef int check(int status, str op) except -1:
    if status == KL_OK:
        return 0
    if status == KL_NO_MEMORY:
        raise MemoryError(f"{op}: the system refused memory")
    if status == KL_DIVISION_BY_ZERO:
        raise ZeroDivisionError(f"{op}: integer division or remainder by zero")
    if status == KL_INDEX_RANGE:
        raise IndexError(f"{op}: index out of range")
    if status == KL_FORKED:
        raise RuntimeError(f"{op}: the process was forked inside this call, and parts of the work "
                           "stayed with the parent; the result in this child is incomplete")
    raise RuntimeError(f"{op}: status {status}")


# ---- Profiles ----

# Lists that take events, or None: the common case costs no more than the flag above.
cdef tuple profiles = None


def start_profile(list events):
    """Appends one tuple per operation of any thread to ``events``, until stop_profile.

    (name, scope, thread, start, end, inner, bytes, flops, chunk_count, chunks, hits, misses):
    times in nanoseconds, chunks as (thread, start, end), scope the operation around or None.
    """
    global plain, profiles
    runtime()
    kl_count_profile()
    profiles = (*(profiles or ()), events)
    plain = False


def stop_profile(list events):
    """Ends start_profile; without effect on a list that is not there."""
    global plain, profiles
    profiles = tuple([other for other in profiles or () if other is not events]) or None
    plain = ready and profiles is None


cdef list chunks_of(kl_op *op):
    """The chunks, first to last, freed."""
    cdef kl_chunk chunk
    found = []
    while kl_take_chunk(op, &chunk):
        found.append((chunk.thread, chunk.start, chunk.end))
    found.reverse()
    return found


cdef int end_op(kl_op *op, str name, int64_t nbytes, int64_t flops) except -1:
    cdef kl_op *outer = op.outer
    kl_end_op(op)
    chunks = chunks_of(op)
    while outer is not NULL and outer.scope is NULL:
        outer = outer.outer
    scope = None if outer is NULL else <object> outer.scope
    event = (name, scope, op.thread, op.start, op.end, op.inner, nbytes, flops, op.chunk_count,
             chunks, op.hits, op.misses)
    for events in profiles or ():
        if len(<list> events) <= kMostEvents:
            (<list> events).append(event if len(<list> events) < kMostEvents else None)
    return 0


# ---- Grad mode ----

cdef bint grad_enabled() noexcept nogil:
    return not kl_self.grad_disabled


def is_grad_enabled():
    """Whether operations of the calling thread are recorded."""
    return grad_enabled()


def set_grad_mode(bint enabled):
    """Sets the calling thread's grad mode; returns the former one."""
    former = grad_enabled()
    kl_self.grad_disabled = not enabled
    return former


# ---- Threads ----

cdef class Region:
    """A Python body on its way through the pool, and the first exception that it raised."""
    cdef object body
    cdef object error


cdef int call_body(void *context, int64_t first, int64_t last) noexcept nogil:
    cdef void *made = kl_enter_python()
    cdef int status
    with gil:
        status = call_python_body(<Region> context, first, last)
    kl_leave_python(made)
    return status


cdef int call_python_body(Region region, int64_t first, int64_t last) noexcept:
    cdef int outer = kl_self.callbacks
    cdef bint grad_disabled = kl_self.grad_disabled
    kl_self.callbacks = outer + 1
    try:
        region.body(first, last)
    except BaseException as error:
        if region.error is None:
            region.error = error
        return KL_CALLBACK_FAILED
    finally:
        kl_self.callbacks = outer
        kl_self.grad_disabled = grad_disabled
    return KL_OK


def parallel_for(int64_t begin, int64_t end, int64_t grain, body):
    """See kael.threads.parallel_for."""
    if grain <= 0:
        raise ValueError(f"parallel_for grain must be positive, got {grain}")
    if begin < 0 and end > INT64_MAX + begin:
        raise OverflowError(f"parallel_for range is too long: [{begin}, {end})")
    cdef const kl_runtime *rt = runtime()
    cdef Region region = Region()
    region.body = body
    cdef int status
    cdef kl_op op
    if rt.begin is not NULL:
        rt.begin(&op)
    with nogil:
        status = rt.parallel_for(begin, end, grain, call_body, <void *> region)
    if rt.begin is not NULL:
        end_op(&op, "parallel_for", 0, 0)
    if region.error is not None:
        raise region.error
    check(status, "parallel_for")


def get_num_threads():
    """See kael.threads.get_num_threads."""
    runtime()
    return kl_configured_threads()


def set_num_threads(int64_t count):
    """Takes a count that kael.threads has checked."""
    global threads_source
    runtime()
    if kl_self.inside or kl_self.callbacks > 0:
        raise RuntimeError("set_num_threads cannot be called inside a parallel_for body")
    with nogil:
        kl_set_threads(count)
    threads_source = "set_num_threads"


def threads_report():
    """The count, where it came from, the CPUs that this process may keep busy, and its forks."""
    runtime()
    return kl_configured_threads(), threads_source, kl_process.cpus, kl_process.forks


def element_grain():
    """The grain that an elementwise operation entered now would use."""
    return runtime().element_grain()


def cgroup_cpus(root=""):
    """CPUs that control groups grant; None without a limit. Paths are taken below ``root``."""
    return kl_cgroup_cpus(str(root).encode()) or None


# ---- Instruction sets ----

def compiled_isas():
    """Names of the instruction sets in this build, best first."""
    return isa_names(False)


def usable_isas():
    """See kael.config.usable_isas."""
    return isa_names(True)


def get_isa():
    """See kael.config.get_isa."""
    return kl_isa_row(runtime().isa).name.decode()


def set_isa(str name):
    """Chooses the instruction set of every later call; ValueError lists the usable ones."""
    global isa_source
    cdef int isa = isa_row(name, "isa")
    runtime()
    kl_set_isa(isa)
    isa_source = "isa"


def isa_report():
    """The instruction set in use, what its name stands for, and where the choice came from."""
    cdef int isa = runtime().isa
    return kl_isa_row(isa).name.decode(), kl_isa_row(isa).title.decode(), isa_source


# ---- The allocator ----

def allocator_counters():
    """reserved, in_use, cached, hits and misses, read at one moment."""
    runtime()
    cdef kl_allocator_stats now = kl_read_allocator()
    return now.reserved_bytes, now.in_use_bytes, now.cached_bytes, now.hits, now.misses


def empty_cache():
    """See kael.memory.empty_cache."""
    runtime()
    with nogil:
        kl_empty_cache()


def set_caching(bint enabled):
    """See kael.memory.set_caching_allocator_enabled."""
    runtime()
    with nogil:
        kl_set_caching(enabled)


def caching_enabled():
    """See kael.memory.caching_allocator_enabled."""
    runtime()
    return kl_caching()


def block_capacity(int64_t nbytes):
    """Bytes that a request reserves; 0 beyond 2^62."""
    return kl_block_capacity(nbytes)


# ---- The build ----

def build_report():
    """The compiler, its flags as far as the build told them, and the sanitizer ("" for none)."""
    return KL_COMPILER.decode(), KAEL_FLAGS.decode(), KL_SANITIZER.decode()
