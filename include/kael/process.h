/* The process's one struct kl_runtime, and what is read from the environment.
 *
 * Included by runtime.pyx only.
 */
#ifndef KAEL_PROCESS_H
#define KAEL_PROCESS_H

#include "kael/alloc.h"
#include "kael/kael.h"
#include "kael/pool.h"
#include "kael/profile.h"

/* Rows of kernel tables with their names and whether this machine can run them, best first. */
struct kl_isa_row {
    const char *name, *title;
    bool usable;
};

static inline struct kl_isa_row kl_isa_row(int isa) {
    const struct kl_isa_row rows[] = {
#define X(name, title, usable) {#name, title, usable},
        KL_ISAS(X)
#undef X
    };
    return rows[isa];
}

static struct kl_runtime kl_the_runtime = {
    .isa = KL_ISA_generic,
    .parallel_for = kl_parallel_for,
    .num_threads = kl_region_threads,
    .element_grain = kl_element_grain,
    .alloc = kl_allocate,
    .release = kl_release,
};

/* The same while a profile runs. */
static struct kl_runtime kl_profiled_runtime = {
    .isa = KL_ISA_generic,
    .parallel_for = kl_profiled_parallel_for,
    .num_threads = kl_region_threads,
    .element_grain = kl_element_grain,
    .alloc = kl_profiled_alloc,
    .release = kl_release,
    .begin = kl_begin_op,
};

static inline void kl_set_isa(int isa) { kl_the_runtime.isa = kl_profiled_runtime.isa = isa; }

/* Once per process: fork handlers are inherited by children. Returns 0 or an errno. */
static inline int kl_install_fork_handlers(void) {
    int failed = pthread_atfork(kl_lock_blocks, kl_unlock_blocks, kl_unlock_blocks);
    if (!failed) failed = pthread_atfork(NULL, NULL, kl_forget_profile);
    return failed ? failed : pthread_atfork(NULL, NULL, kl_forget_threads);
}

#if defined(__clang__)
#define KL_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define KL_COMPILER "gcc " __VERSION__
#else
#define KL_COMPILER "unknown"
#endif
#ifndef KAEL_FLAGS
#define KAEL_FLAGS ""
#endif

#endif
