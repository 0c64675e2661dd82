/* The list of reductions: X(name, term of an element, what becomes of the total). */
#ifndef KAEL_REDUCTIONS_H
#define KAEL_REDUCTIONS_H

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

#endif
