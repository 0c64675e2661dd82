/* All that a driver may ask of the process: the instruction set, the pool, the allocator.
 *
 * Static state in a header is copied into every extension module that includes it, so the pool,
 * the allocator and the choice of instruction set live in _kernels/runtime.pyx alone; the other
 * modules receive a pointer to its one struct kl_runtime by cimport.
 */
#ifndef KAEL_RUNTIME_H
#define KAEL_RUNTIME_H

#include "kael/config.h"
#include "kael/isas.h"
#include "kael/status.h"

/* Grains for one cheap operation per element; a dearer operation divides by its cost. A sleeping
 * worker starts 11-16 us after a wake that costs the caller 6-9 us; one that still spins from the
 * last region starts within 0.2 us, and then a sixteenth of the sleeper's share pays. */
enum { kElementGrain = 524288, kAwakeGrain = 32768 };

/* Work on [first, last). Returns a kl_status; the first one that is not KL_OK ends the region. */
typedef int (*kl_body)(void *context, int64_t first, int64_t last);

/* One operation of a profile, on the stack of whoever runs it; see profile.h. */
struct kl_op {
    struct kl_op *outer;       /* the operation around this one, on the same thread */
    void *scope;               /* its name (a str), where operations inside are to carry it */
    struct kl_chunk *chunks;   /* latest first */
    int64_t start, end, inner; /* nanoseconds; inner: of the operations inside */
    int64_t chunk_count, hits, misses;
    int thread;
};

struct kl_runtime {
    /* Row of every kernel table to use now. Read it once per call. */
    int isa;

    /* Calls body on disjoint ranges that cover [begin, end), none but the last shorter than
     * grain (grain > 0), on the caller and the workers. Runs inline when the range is at most
     * one grain, inside another region, or when another thread has the pool. */
    int (*parallel_for)(int64_t begin, int64_t end, int64_t grain, kl_body body, void *context);

    /* Threads that a region entered now may use: the configured count, or 1 inside a region. */
    int64_t (*num_threads)(void);

    /* kAwakeGrain while the workers spin, or when a streak of askers would keep them spinning;
     * else kElementGrain. Results never depend on it. Drivers ask through kl_grain below. */
    int64_t (*element_grain)(void);

    /* A block of at least bytes (> 0), 64-byte aligned, contents arbitrary; NULL when refused.
     * release takes the same byte count. Thread safe. */
    void *(*alloc)(int64_t bytes);
    void (*release)(void *block, int64_t bytes);

    /* NULL unless profiled: then a boundary calls it before the driver, and end_op after it. */
    void (*begin)(struct kl_op *op);
};

/* The grain of a range of `items`, each worth `cost` cheap operations. A range that even awake
 * workers would not share is answered at once, so that tiny operations neither pay for the
 * question (it reads the clock: 25 ns) nor count as a streak of askers. */
KL_INLINE int64_t kl_grain(const struct kl_runtime *rt, int64_t items, int64_t cost) {
    const int64_t least = kl_max(1, kAwakeGrain / cost);
    return items <= least ? least : kl_max(1, rt->element_grain() / cost);
}

#endif
