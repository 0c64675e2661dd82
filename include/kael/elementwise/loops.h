/* Elementwise loops in plain C, which the compiler's vectoriser widens.
 *
 * A kernel is int name(void *out, const void *const *in, int64_t n, const int64_t *ahead) over
 * contiguous elements, every pointer aligned to its element. out may be exactly an input of the
 * same element size, but may not overlap the inputs otherwise. ahead: unless NULL, out is no input,
 * aligned to KL_ALIGNMENT, and better stored past the caches, which a kernel may do; it then asks
 * for memory ahead[k] bytes beyond what it reads of input k (0: that is near). It returns a
 * kl_status; on failure out is arbitrary.
 */
#ifndef KAEL_ELEMENTWISE_LOOPS_H
#define KAEL_ELEMENTWISE_LOOPS_H

#include "kael/config.h"
#include "kael/status.h"

enum { KL_MAX_OPERANDS = 4 }; /* the output and up to three inputs */

typedef int (*kl_kernel)(void *out, const void *const *in, int64_t n, const int64_t *ahead);

/* The rounds of the loop are independent, also when out is an input. Nothing for clang, whose
 * spelling warns about loops that have no vector form. */
#if defined(__clang__)
#define KL_LANEWISE
#else
#define KL_LANEWISE _Pragma("GCC ivdep")
#endif

/* to y[i] = expression of `a`, the value of from x[i] as the type value; may set `status`. */
#define KL_UNARY_LOOP(name, from, value, to, expression)                   \
    static int KL_FN(name)(void *out, const void *const *in, int64_t n,    \
                           const int64_t *ahead) {                         \
        (void)ahead;                                                       \
        const from *x = in[0];                                             \
        to *y = out;                                                       \
        int status = KL_OK;                                                \
        KL_LANEWISE                                                     \
        for (int64_t i = 0; i < n; ++i) {                                  \
            const value a = (value)x[i];                                   \
            y[i] = (to)(expression);                                       \
        }                                                                  \
        return status;                                                     \
    }

/* to z[i] = expression of `a` and `b`, the values of from x[i] and y[i]. */
#define KL_BINARY_LOOP(name, from, value, to, expression)                  \
    static int KL_FN(name)(void *out, const void *const *in, int64_t n,    \
                           const int64_t *ahead) {                         \
        (void)ahead;                                                       \
        const from *x = in[0], *y = in[1];                                 \
        to *z = out;                                                       \
        int status = KL_OK;                                                \
        KL_LANEWISE                                                     \
        for (int64_t i = 0; i < n; ++i) {                                  \
            const value a = (value)x[i], b = (value)y[i];                  \
            z[i] = (to)(expression);                                       \
        }                                                                  \
        return status;                                                     \
    }

/* in: condition (0 or 1), a, b. */
#define KL_WHERE_LOOP(name, type)                                          \
    static int KL_FN(name)(void *out, const void *const *in, int64_t n,    \
                           const int64_t *ahead) {                         \
        (void)ahead;                                                       \
        const uint8_t *condition = in[0];                                  \
        const type *a = in[1], *b = in[2];                                 \
        type *y = out;                                                     \
        KL_LANEWISE                                                     \
        for (int64_t i = 0; i < n; ++i) {                                  \
            const type x = a[i], z = b[i];                                 \
            y[i] = condition[i] ? x : z;                                   \
        }                                                                  \
        return KL_OK;                                                      \
    }

#endif
