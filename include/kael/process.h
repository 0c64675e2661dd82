/* The process's one struct kl_runtime, and what is read from the environment.
 *
 * Included by runtime.pyx only.
 */
#ifndef KAEL_PROCESS_H
#define KAEL_PROCESS_H

#include <Python.h>

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

/* ---- Python's state of a worker, which a chunk that is a Python function needs ----
 *
 * PyThreadState_New takes a lock of the interpreter's without the GIL. In a child that is forked at
 * that moment the lock stays locked, and CPython 3.11 takes it there before it makes it anew, so
 * that os.fork() never returns. (Threads that Python starts get their state under the GIL.) So a
 * worker makes its state under a mutex that is held across every fork. */

static pthread_mutex_t kl_states = PTHREAD_MUTEX_INITIALIZER;

static void kl_lock_states(void) { pthread_mutex_lock(&kl_states); }
static void kl_unlock_states(void) { pthread_mutex_unlock(&kl_states); }

/* Takes the GIL with a new state, for kl_leave_python; NULL, and nothing done, where the thread has
 * one. */
static inline void *kl_enter_python(void) {
    if (PyGILState_GetThisThreadState()) return NULL;
    kl_lock_states();
    PyThreadState *made = PyThreadState_New(PyInterpreterState_Main());
    kl_unlock_states();
    if (made) PyEval_RestoreThread(made);
    return made;
}

static inline void kl_leave_python(void *made) {
    if (!made) return;
    PyThreadState_Clear(made);
    PyThreadState_DeleteCurrent();
}

/* Once per process: fork handlers are inherited by children. Returns 0 or an errno. */
static inline int kl_install_fork_handlers(void) {
    int failed = pthread_atfork(kl_lock_blocks, kl_unlock_blocks, kl_unlock_blocks);
    if (!failed) failed = pthread_atfork(kl_lock_states, kl_unlock_states, kl_unlock_states);
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
