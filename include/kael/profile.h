/* What a profile sees of an operation: its time, its chunks by thread, its allocations.
 *
 *     plain     runtime() -> kl_the_runtime        begin is NULL: one branch an operation
 *     profiled  runtime() -> kl_profiled_runtime   begin notes the time; parallel_for and alloc
 *                                                  count, then do what the plain ones do
 *
 * Which of the two an operation has is settled, under the GIL, when it asks for the runtime, so
 * a profile that starts or stops meanwhile neither races with it nor leaves it half recorded.
 * Chunks are the same in both, and so are the results.
 *
 * Included by runtime.pyx only: the statics below are the process's one profiler.
 */
#ifndef KAEL_PROFILE_H
#define KAEL_PROFILE_H

#include "kael/alloc.h"
#include "kael/pool.h"

/* A profile that nobody stops ceases to grow there, and ends with None: 400 bytes an event. */
enum { kMostEvents = 1 << 20 };

/* One chunk of an operation, run by a thread. */
struct kl_chunk {
    struct kl_chunk *next;
    int64_t start, end;
    int thread;
};

static struct kl_profile {
    pthread_mutex_t mutex;   /* of the lists of chunks and the counts of operations */
    _Atomic int threads;     /* numbered so far */
    _Atomic int64_t started; /* profiles so far: allocations of an earlier one do not count */
} kl_profile = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct kl_profile_self {
    struct kl_op *op;      /* innermost operation that runs on this thread */
    int thread;            /* its number, from 1 */
    int64_t started;       /* kl_profile.started that the counts belong to */
    int64_t hits, misses;  /* allocations that no operation has taken yet */
} kl_profile_self;

static inline int kl_profile_thread(void) {
    if (!kl_profile_self.thread)
        kl_profile_self.thread = atomic_fetch_add(&kl_profile.threads, 1) + 1;
    return kl_profile_self.thread;
}

/* Moves the calling thread's allocations to the operation. */
static inline void kl_take_allocations(struct kl_op *op) {
    struct kl_profile_self *self = &kl_profile_self;
    if (self->started == atomic_load_explicit(&kl_profile.started, memory_order_relaxed)) {
        op->hits += self->hits;
        op->misses += self->misses;
    }
    self->hits = self->misses = 0;
}

/* What was allocated just before an operation is its output. */
static void kl_begin_op(struct kl_op *op) {
    memset(op, 0, sizeof *op);
    op->thread = kl_profile_thread();
    op->outer = kl_profile_self.op;
    kl_profile_self.op = op;
    kl_take_allocations(op);
    op->start = kl_nanoseconds();
}

static void kl_end_op(struct kl_op *op) {
    op->end = kl_nanoseconds();
    kl_take_allocations(op);
    kl_profile_self.op = op->outer;
    if (op->outer) op->outer->inner += op->end - op->start;
}

static inline void kl_count_profile(void) { atomic_fetch_add(&kl_profile.started, 1); }

/* Hands out the chunks of an operation that has ended, latest first, and frees them. */
static inline bool kl_take_chunk(struct kl_op *op, struct kl_chunk *chunk) {
    struct kl_chunk *held = op->chunks;
    if (!held) return false;
    *chunk = *held;
    op->chunks = held->next;
    free(held);
    return true;
}

static void *kl_profiled_alloc(int64_t bytes) {
    struct kl_profile_self *self = &kl_profile_self;
    const int64_t started = atomic_load_explicit(&kl_profile.started, memory_order_relaxed);
    bool hit;
    void *block = kl_take_block(bytes, &hit);
    if (self->started != started) {
        self->started = started;
        self->hits = self->misses = 0;
    }
    self->hits += block != NULL && hit;
    self->misses += block != NULL && !hit;
    return block;
}

struct kl_profiled_region {
    struct kl_op *op;
    kl_body body;
    void *context;
};

/* A chunk that finds no memory to be noted in is counted, not listed. */
static int kl_profiled_body(void *context, int64_t first, int64_t last) {
    const struct kl_profiled_region *region = context;
    struct kl_op *op = region->op;
    const int64_t start = kl_nanoseconds();
    const int status = region->body(region->context, first, last);
    struct kl_chunk *chunk = malloc(sizeof *chunk);
    if (chunk)
        *chunk = (struct kl_chunk){.start = start, .end = kl_nanoseconds(),
                                   .thread = kl_profile_thread()};
    pthread_mutex_lock(&kl_profile.mutex);
    if (chunk) {
        chunk->next = op->chunks;
        op->chunks = chunk;
    }
    op->chunk_count++;
    kl_take_allocations(op);
    pthread_mutex_unlock(&kl_profile.mutex);
    return status;
}

/* Regions inside a chunk run inline and belong to the chunk. */
static int kl_profiled_parallel_for(int64_t begin, int64_t end, int64_t grain, kl_body body,
                                    void *context) {
    struct kl_profiled_region region = {kl_profile_self.op, body, context};
    if (!region.op || kl_self.inside) return kl_parallel_for(begin, end, grain, body, context);
    return kl_parallel_for(begin, end, grain, kl_profiled_body, &region);
}

/* In the child of a fork: a thread that is gone may have held the mutex. */
static void kl_forget_profile(void) {
    kl_profile.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

#endif
