/* Waiting for a 32-bit word to change: a short spin, then sleep until the bell rings.
 *
 * A waiter sleeps only if the word still reads as it last saw it, and the other side rings after
 * it has changed the word, so no ring is lost. Linux keeps the sleepers in the kernel (a futex);
 * elsewhere a condition variable does.
 */
#ifndef KAEL_WAIT_H
#define KAEL_WAIT_H

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "kael/config.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kl_bell {
    char unused; /* the kernel finds the sleepers by the word's address */
};

static inline void kl_bell_init(struct kl_bell *bell) { (void)bell; }

static inline void kl_listen(struct kl_bell *bell, _Atomic uint32_t *word, uint32_t seen) {
    (void)bell;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static inline void kl_ring(struct kl_bell *bell, _Atomic uint32_t *word, int sleepers) {
    (void)bell;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers, NULL, NULL, 0);
}

#else
#include <pthread.h>

struct kl_bell {
    pthread_mutex_t mutex;
    pthread_cond_t rung;
};

static inline void kl_bell_init(struct kl_bell *bell) {
    pthread_mutex_init(&bell->mutex, NULL);
    pthread_cond_init(&bell->rung, NULL);
}

static inline void kl_listen(struct kl_bell *bell, _Atomic uint32_t *word, uint32_t seen) {
    pthread_mutex_lock(&bell->mutex);
    if (atomic_load(word) == seen) pthread_cond_wait(&bell->rung, &bell->mutex);
    pthread_mutex_unlock(&bell->mutex);
}

static inline void kl_ring(struct kl_bell *bell, _Atomic uint32_t *word, int sleepers) {
    (void)word;
    (void)sleepers;
    pthread_mutex_lock(&bell->mutex);
    pthread_cond_broadcast(&bell->rung);
    pthread_mutex_unlock(&bell->mutex);
}
#endif

static inline int64_t kl_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tells the core that this is a spin, so that its sibling gets the execution units. */
KL_INLINE void kl_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Polls word until ready(word), for about `limit` nanoseconds; false when that was too short.
 *
 * After a first while it yields between rounds: the kernel often starts a woken worker on the
 * waker's own CPU, and then two threads that poll for each other would do so for the whole limit
 * (measured: one region in ten took 110 us after a wake, with yielding 10 to 15). */
KL_INLINE bool kl_spin(_Atomic uint32_t *word, bool (*ready)(uint32_t), int64_t limit) {
    enum { POLLS_PER_ROUND = 32, SILENT_ROUNDS = 4 };
    if (ready(atomic_load_explicit(word, memory_order_acquire))) return true;
    if (limit == 0) return false;
    const int64_t deadline = kl_nanoseconds() + limit;
    for (int round = 0;; round++) {
        for (int i = 0; i < POLLS_PER_ROUND; i++) {
            kl_relax();
            if (ready(atomic_load_explicit(word, memory_order_acquire))) return true;
        }
        if (kl_nanoseconds() >= deadline) return false;
        if (round >= SILENT_ROUNDS) sched_yield();
    }
}

#endif
