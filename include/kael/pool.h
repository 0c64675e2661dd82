/* The thread pool: one job at a time, cut into chunks that the caller and the workers claim.
 *
 *     caller                                   workers
 *     publish the job, wake sleepers           spin on `word` for 100 us, then sleep on it
 *     claim chunks until none is left          claim chunks until none is left
 *     wait until `remaining` is 0              spin again
 *
 * `word` is {count: 16, next: 16}: fetch_add(1) claims chunk `next` when next < count. Whoever
 * holds a chunk keeps the job alive, since the caller leaves only when every chunk is finished:
 * so a job's fields are read after a claim, never before, and a worker that wakes late takes part
 * in whatever job is there. The caller never waits for a worker that did not claim anything. No
 * generation counter is needed: an exhausted word that reads the same is exhausted.
 *
 * Overshoot of `next` is at most one per worker (kMaxThreads), counts are at most
 * kMaxThreads * kChunksPerThread = 4096, so 16 bits hold both.
 *
 * Included by runtime.pyx only: the statics below are the process's one pool.
 */
#ifndef KAEL_POOL_H
#define KAEL_POOL_H

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kael/config.h"
#include "kael/cpu.h"
#include "kael/runtime.h"
#include "kael/wait.h"

enum { kChunksPerThread = 4, kMaxThreads = 1024 };

/* How long a worker looks for the next job before it sleeps: longer than the gap between the
 * operations of a training step, far below what shows as an idle process's load. */
enum { kSpinNanoseconds = 100000 };

/* A full Python callback runs on a worker's stack; the default is too small on some systems. */
enum { kWorkerStack = 8 << 20 };

#define KL_STOP_WORD     0xffff0000u /* `word` when the pool stops: it reads as unclaimed */
#define KL_CALLER_SLEEPS 0x80000000u /* bit of `remaining` while the caller sleeps on it */

struct kl_pool {
    /* What a claim reads, on one line. */
    _Alignas(KL_ALIGNMENT) _Atomic uint32_t word;
    bool grad_disabled; /* the caller's grad mode */
    int64_t begin, end, chunk;
    kl_body body;
    void *context;

    /* Chunks not finished yet, and KL_CALLER_SLEEPS. */
    _Alignas(KL_ALIGNMENT) _Atomic uint32_t remaining;
    _Atomic int status; /* the first one that was not KL_OK */

    _Alignas(KL_ALIGNMENT) _Atomic uint32_t sleepers;
    int workers;
    int64_t spin; /* nanoseconds; 0 when there are more threads than CPUs */
    struct kl_bell work_bell, done_bell;
    pthread_t threads[];
};

static struct kl_process {
    pthread_mutex_t mutex;   /* held for the length of a job, and to start or stop the workers */
    struct kl_pool *pool;    /* NULL until the first job, and after a change of the count */
    _Atomic int64_t threads; /* the configured count */
    _Atomic int64_t awake;   /* workers spinning or working */
    _Atomic int64_t asked;   /* when an element grain was asked for while they slept, */
    _Atomic int streak;      /* and how often at short intervals */
    int64_t cpus;            /* that may be kept busy; set at first use */
    uint64_t forks;          /* how many forks lie between this process and the first */
} kl_process = {.mutex = PTHREAD_MUTEX_INITIALIZER, .threads = 1, .cpus = 1};

static _Thread_local struct kl_self {
    bool inside;        /* working on a chunk: regions run inline */
    bool grad_disabled; /* grad mode, stored so that zero is the default */
    int callbacks;      /* Python bodies on this thread's stack, inline ones too */
} kl_self;

KL_INLINE bool kl_unclaimed(uint32_t word) { return (word & 0xffff) < word >> 16; }
KL_INLINE bool kl_stopping(uint32_t word) { return word >> 16 == KL_STOP_WORD >> 16; }
KL_INLINE bool kl_all_finished(uint32_t remaining) { return remaining == 0; }

/* ---- Both sides ---- */

/* Takes `chunks` off the job; the last one to do so wakes a caller that sleeps. */
static inline void kl_finish(struct kl_pool *pool, uint32_t chunks) {
    const uint32_t before =
        atomic_fetch_sub_explicit(&pool->remaining, chunks, memory_order_acq_rel);
    if (before - chunks == KL_CALLER_SLEEPS) kl_ring(&pool->done_bell, &pool->remaining, 1);
}

/* Keeps the first error and takes back every chunk that nobody has claimed. */
static inline void kl_cancel(struct kl_pool *pool, int status) {
    int none = KL_OK;
    atomic_compare_exchange_strong(&pool->status, &none, status);
    uint32_t word = atomic_load(&pool->word);
    while (kl_unclaimed(word))
        if (atomic_compare_exchange_weak(&pool->word, &word, (word & ~0xffffu) | word >> 16)) {
            kl_finish(pool, (word >> 16) - (word & 0xffff));
            return;
        }
}

enum kl_leave {
    KL_NO_CHUNK_LEFT,
    KL_POOL_STOPS,
    KL_FORKED_INSIDE /* the body forked and this is the child; its chunk is still counted */
};

/* Claims and runs chunks until there is a reason to leave. */
static inline enum kl_leave kl_work(struct kl_pool *pool) {
    const uint64_t forks = kl_process.forks;
    for (;;) {
        const uint32_t word = atomic_fetch_add_explicit(&pool->word, 1, memory_order_acq_rel);
        if (kl_stopping(word)) return KL_POOL_STOPS;
        if (!kl_unclaimed(word)) return KL_NO_CHUNK_LEFT;
        const int64_t first = pool->begin + (int64_t)(word & 0xffff) * pool->chunk;
        const int64_t last = pool->end - first <= pool->chunk ? pool->end : first + pool->chunk;
        kl_self.grad_disabled = pool->grad_disabled;
        const int status = pool->body(pool->context, first, last);
        if (KL_UNLIKELY(status != KL_OK)) kl_cancel(pool, status);
        if (KL_UNLIKELY(forks != kl_process.forks)) return KL_FORKED_INSIDE;
        kl_finish(pool, 1);
    }
}

/* ---- The workers ---- */

/* Returns when a chunk is unclaimed or the pool stops: spins first, then sleeps. */
static inline void kl_wait_for_work(struct kl_pool *pool) {
    if (kl_spin(&pool->word, kl_unclaimed, pool->spin)) return;
    uint32_t word;
    atomic_fetch_sub(&kl_process.awake, 1);
    /* Sequentially consistent on both sides: either the caller sees this sleeper, or the word
     * read below is already the caller's new one. */
    atomic_fetch_add(&pool->sleepers, 1);
    while (!kl_unclaimed(word = atomic_load(&pool->word)))
        kl_listen(&pool->work_bell, &pool->word, word);
    atomic_fetch_sub(&pool->sleepers, 1);
    atomic_fetch_add(&kl_process.awake, 1);
}

/* What debuggers and `top -H` show. A thread names itself with one system call; another's name is a
 * file to write in /proc, and Linux clears such files away when the process is reaped: forking
 * processes that do so at once hold each other up for seconds. */
static inline void kl_name_worker(void) {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "kael-worker");
#elif defined(__APPLE__)
    pthread_setname_np("kael-worker");
#endif
}

static void *kl_worker(void *argument) {
    struct kl_pool *pool = argument;
    fesetenv(FE_DFL_ENV); /* a new thread inherits its creator's rounding and flush modes */
    kl_name_worker();
    kl_self.inside = true;
    enum kl_leave left;
    do {
        kl_wait_for_work(pool);
        left = kl_work(pool);
    } while (left == KL_NO_CHUNK_LEFT);
    return NULL;
}

/* Wakes and joins the workers, then frees the pool. The caller holds the mutex. */
static inline void kl_stop_pool(struct kl_pool *pool) {
    if (!pool) return;
    atomic_store(&pool->word, KL_STOP_WORD);
    kl_ring(&pool->work_bell, &pool->word, pool->workers);
    for (int i = 0; i < pool->workers; i++) pthread_join(pool->threads[i], NULL);
    atomic_store(&kl_process.awake, 0);
    free(pool);
}

/* Signals belong to the caller's threads: a handler must not run on a worker. Faults stay
 * deliverable, since a blocked one kills the process without a word. */
static inline void kl_block_signals(sigset_t *former) {
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, former);
}

/* Starts `workers` threads that wait for work. NULL when one cannot be started; those started
 * are joined. */
static inline struct kl_pool *kl_start_pool(int workers) {
    void *memory;
    const size_t size = sizeof(struct kl_pool) + (size_t)workers * sizeof(pthread_t);
    if (posix_memalign(&memory, KL_ALIGNMENT, size) != 0) return NULL;
    struct kl_pool *pool = memset(memory, 0, size);
    pool->spin = workers < kl_process.cpus ? kSpinNanoseconds : 0;
    kl_bell_init(&pool->work_bell);
    kl_bell_init(&pool->done_bell);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        free(pool);
        return NULL;
    }
    pthread_attr_setstacksize(&attributes, kWorkerStack);
    sigset_t former;
    kl_block_signals(&former);
    atomic_store(&kl_process.awake, workers);
    while (pool->workers < workers &&
           pthread_create(&pool->threads[pool->workers], &attributes, kl_worker, pool) == 0)
        pool->workers++;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_attr_destroy(&attributes);
    if (pool->workers == workers) return pool;
    kl_stop_pool(pool);
    return NULL;
}

/* ---- The caller ---- */

/* Returns when every chunk is finished. */
static inline void kl_wait_for_workers(struct kl_pool *pool) {
    if (kl_spin(&pool->remaining, kl_all_finished, pool->spin)) return;
    uint32_t remaining = atomic_fetch_or(&pool->remaining, KL_CALLER_SLEEPS) | KL_CALLER_SLEEPS;
    while (remaining != KL_CALLER_SLEEPS) {
        kl_listen(&pool->done_bell, &pool->remaining, remaining);
        remaining = atomic_load_explicit(&pool->remaining, memory_order_acquire);
    }
}

/* The rest of a region in a child forked inside one of its chunks, on the caller's thread. The
 * parent's workers do not exist here: chunks that they were running can be neither finished nor
 * repeated (a body may work in place), so then the region fails. */
static inline void kl_finish_alone(struct kl_pool *pool) {
    do {
        const uint32_t word = atomic_load(&pool->word);
        const uint32_t unclaimed = kl_unclaimed(word) ? (word >> 16) - (word & 0xffff) : 0;
        const uint32_t running = (atomic_load(&pool->remaining) & ~KL_CALLER_SLEEPS) - unclaimed;
        if (running > 1) kl_cancel(pool, KL_FORKED);
        kl_finish(pool, 1);
    } while (kl_work(pool) == KL_FORKED_INSIDE);
}

/* Publishes the job, works on it, and returns its status once every chunk is finished. */
static inline int kl_run(struct kl_pool *pool, int64_t begin, int64_t end, int64_t chunk,
                         kl_body body, void *context) {
    const uint32_t count = (uint32_t)((end - begin - 1) / chunk + 1);
    const bool grad_disabled = kl_self.grad_disabled;
    pool->grad_disabled = grad_disabled;
    pool->begin = begin;
    pool->end = end;
    pool->chunk = chunk;
    pool->body = body;
    pool->context = context;
    atomic_store_explicit(&pool->status, KL_OK, memory_order_relaxed);
    atomic_store_explicit(&pool->remaining, count, memory_order_relaxed);
    atomic_store(&pool->word, count << 16);
    const uint32_t sleepers = atomic_load(&pool->sleepers);
    if (sleepers) kl_ring(&pool->work_bell, &pool->word, (int)kl_min(sleepers, count - 1));

    kl_self.inside = true;
    if (KL_LIKELY(kl_work(pool) != KL_FORKED_INSIDE))
        kl_wait_for_workers(pool);
    else
        kl_finish_alone(pool);
    kl_self.inside = false;
    kl_self.grad_disabled = grad_disabled;
    return atomic_load_explicit(&pool->status, memory_order_relaxed);
}

/* Runs the job on the pool. False, with nothing done, when another thread has the pool or its
 * workers cannot be started: the caller then runs the range inline. */
static inline bool kl_try_run(int64_t begin, int64_t end, int64_t chunk, kl_body body,
                              void *context, int *status) {
    if (pthread_mutex_trylock(&kl_process.mutex) != 0) return false;
    const int64_t threads = atomic_load_explicit(&kl_process.threads, memory_order_relaxed);
    if (!kl_process.pool && threads > 1) kl_process.pool = kl_start_pool((int)threads - 1);
    struct kl_pool *pool = kl_process.pool;
    const uint64_t forks = kl_process.forks;
    if (pool) *status = kl_run(pool, begin, end, chunk, body, context);
    if (forks == kl_process.forks) pthread_mutex_unlock(&kl_process.mutex);
    return pool != NULL;
}

/* See runtime.h. Chunks: about kChunksPerThread a thread, so that one that finishes early takes
 * another, but none below the grain. */
static int kl_parallel_for(int64_t begin, int64_t end, int64_t grain, kl_body body, void *context) {
    KL_ASSERT(grain > 0);
    const int64_t length = end - begin;
    if (length <= 0) return KL_OK;
    if (length <= grain || kl_self.inside) return body(context, begin, end);
    const int64_t threads = atomic_load_explicit(&kl_process.threads, memory_order_relaxed);
    if (threads == 1) return body(context, begin, end);
    const int64_t chunk = kl_max(grain, (length - 1) / (threads * kChunksPerThread) + 1);
    int status;
    if (kl_try_run(begin, end, chunk, body, context, &status)) return status;
    return body(context, begin, end);
}

/* ---- The count, and forks ---- */

static int64_t kl_configured_threads(void) {
    return atomic_load_explicit(&kl_process.threads, memory_order_relaxed);
}

/* See runtime.h. */
static int64_t kl_region_threads(void) { return kl_self.inside ? 1 : kl_configured_threads(); }

/* Whether operations of middling size follow each other so closely that the workers, once awake,
 * would stay so: then one wake (9 us) pays for all of them. */
static inline bool kl_streak_of_askers(void) {
    enum { LONG = 8 };
    const int64_t now = kl_nanoseconds();
    const int64_t before = atomic_exchange_explicit(&kl_process.asked, now, memory_order_relaxed);
    const int streak = now - before < kSpinNanoseconds
                           ? atomic_load_explicit(&kl_process.streak, memory_order_relaxed) + 1
                           : 0;
    atomic_store_explicit(&kl_process.streak, (int)kl_min(streak, LONG), memory_order_relaxed);
    return streak >= LONG;
}

/* See runtime.h. */
static int64_t kl_element_grain(void) {
    const int64_t threads = kl_region_threads();
    if (threads == 1) return kElementGrain;
    if (atomic_load_explicit(&kl_process.awake, memory_order_relaxed) >= threads - 1)
        return kAwakeGrain;
    return threads <= kl_process.cpus && kl_streak_of_askers() ? kAwakeGrain : kElementGrain;
}

/* Sets the configured count; waits for a job that another thread runs. The next region starts
 * the workers. */
static inline void kl_set_threads(int64_t threads) {
    pthread_mutex_lock(&kl_process.mutex);
    if (threads != atomic_load(&kl_process.threads)) {
        kl_stop_pool(kl_process.pool);
        kl_process.pool = NULL;
        atomic_store(&kl_process.threads, threads);
    }
    pthread_mutex_unlock(&kl_process.mutex);
}

/* In the child of a fork: the workers do not exist, so the pool can be neither used nor joined.
 * It is forgotten, the mutex (perhaps held by a thread that is gone) is made anew, and the
 * forking thread, perhaps inside a body, becomes an ordinary caller. */
static void kl_forget_threads(void) {
    kl_process.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    kl_process.pool = NULL;
    kl_process.forks++;
    atomic_store(&kl_process.awake, 0);
    kl_self.inside = false;
    kl_self.callbacks = 0;
}

#endif
