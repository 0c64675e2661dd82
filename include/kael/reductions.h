/* The list of reductions: X(name, term of an element, what becomes of the total). */
#ifndef KAEL_REDUCTIONS_H
#define KAEL_REDUCTIONS_H

#include <math.h>

#include "kael/fold.h"

enum kl_finish { KL_FINISH_TOTAL, KL_FINISH_ROOT, KL_FINISH_QUOTIENT, KL_FINISH_ROOT_QUOTIENT };

/* Variances have KL_TERM_DEVIATION, and a pass for the mean before it. */
#define KL_REDUCTIONS(X)                                  \
    X(sum, KL_TERM_VALUE, KL_FINISH_TOTAL)                \
    X(mean, KL_TERM_VALUE, KL_FINISH_QUOTIENT)            \
    X(var, KL_TERM_DEVIATION, KL_FINISH_QUOTIENT)         \
    X(std, KL_TERM_DEVIATION, KL_FINISH_ROOT_QUOTIENT)    \
    X(norm1, KL_TERM_ABS, KL_FINISH_TOTAL)                \
    X(norm2, KL_TERM_SQUARE, KL_FINISH_ROOT)              \
    X(prod, KL_TERM_FACTOR, KL_FINISH_TOTAL)              \
    X(max, KL_TERM_MAX, KL_FINISH_TOTAL)                  \
    X(min, KL_TERM_MIN, KL_FINISH_TOTAL)                  \
    X(argmax, KL_TERM_ARGMAX, KL_FINISH_TOTAL)            \
    X(argmin, KL_TERM_ARGMIN, KL_FINISH_TOTAL)

enum kl_reduction {
#define X(name, term, finish) KL_REDUCTION_##name,
    KL_REDUCTIONS(X)
#undef X
    KL_REDUCTION_COUNT
};

KL_UNUSED static const char *const kl_reduction_names[KL_REDUCTION_COUNT] = {
#define X(name, term, finish) #name,
    KL_REDUCTIONS(X)
#undef X
};

KL_INLINE double kl_reduce_finish(int finish, double divisor, double total) {
    switch (finish) {
    case KL_FINISH_ROOT: return sqrt(total);
    case KL_FINISH_QUOTIENT: return total / divisor;
    case KL_FINISH_ROOT_QUOTIENT: return sqrt(total / divisor);
    default: return total;
    }
}

/* Stores `count` totals at outputs out, out + step, ... of `to`; finish is a literal, so that the
 * loops hold no test. */
#define KL_STORE(T, value)                                                       \
    for (int64_t c = 0; c < count; c++) ((T *)to)[out + c * step] = (T)(value); \
    break
KL_INLINE void kl_reduce_store_as(int finish, double divisor, void *to, int dtype, int64_t out,
                                  int64_t step, int64_t count, const kl_total *totals) {
    switch (dtype) {
    case KL_DTYPE_f32: KL_STORE(float, kl_reduce_finish(finish, divisor, totals[c].f));
    case KL_DTYPE_f64: KL_STORE(double, kl_reduce_finish(finish, divisor, totals[c].f));
    case KL_DTYPE_i64: KL_STORE(int64_t, totals[c].i);
    case KL_DTYPE_i32: KL_STORE(int32_t, totals[c].i);
    default: KL_STORE(uint8_t, totals[c].i);
    }
}
#undef KL_STORE

#endif
