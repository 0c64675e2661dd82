/* The update rules, one always-inline body each, by file.
 *
 * `variant` is a const int parameter and every call passes a literal: the branches fold, and what
 * remains is straight arithmetic that the compiler vectorises (`make vec-report` shows it). The
 * scalars were computed in double and are narrowed once, here. Each product and each sum rounds
 * once (numerics R1): vector part, tail and every instruction set agree. p, g, m, v, ... stand for
 * one element of the parameter, the gradient and the state.
 *
 * An element is loaded whole before anything of it is stored. Large arrays all begin at one offset
 * in their pages, and a load waits for an earlier store of another array at the same offset: Adam
 * took 1.4 of this on arrays in cache (Zen 4).
 */

struct KL_FN(scalars) {
#define X(name) T name;
    KL_OPTIM_SCALARS(X)
#undef X
};

KL_INLINE struct KL_FN(scalars) KL_FN(narrowed)(const struct kl_optim_scalars *s) {
#define X(name) (T)s->name,
    return (struct KL_FN(scalars)){KL_OPTIM_SCALARS(X)};
#undef X
}

/* An array from element `first`; NULL where there is none. */
KL_INLINE T *KL_FN(from)(void *array, int64_t first) {
    return array ? (T *)array + first : NULL;
}

KL_INLINE T KL_FN(root)(T x) {
    return sizeof(T) == sizeof(double) ? (T)sqrt((double)x) : (T)sqrtf((float)x);
}

KL_INLINE T KL_FN(magnitude)(T x) {
    return sizeof(T) == sizeof(double) ? (T)fabs((double)x) : (T)fabsf((float)x);
}

/* NaN wins. */
KL_INLINE T KL_FN(larger)(T a, T b) { return (a > b || a != a) ? a : b; }

/* NaN is kept. */
KL_INLINE T KL_FN(limited)(T x, T low, T high) {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
}

/* The sign; 0 for NaN, as torch.sign. */
KL_INLINE T KL_FN(direction)(T x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* The gradient to descend by. */
KL_INLINE T KL_FN(gradient)(T g, T x, T decay, const int variant) {
    const T downhill = variant & KL_MAXIMIZE ? -g : g;
    return variant & KL_DECAY ? downhill + decay * x : downhill;
}

/* kl_step_<stem>_<type>_<isa>: the elements of a row by its variant. */
#define KL_OPTIM_KERNEL(stem, cases)                                                            \
    static void KL_FN(step_##stem)(const struct kl_optim_row *row, int64_t first, int64_t count) {\
        switch (row->variant) { cases }                                                         \
    }
#define KL_OPTIM_CASE(stem, n) \
    case n: KL_FN(stem##_elements)(row, first, count, n); break;
#define KL_OPTIM_CASES2(stem, n) KL_OPTIM_CASE(stem, n) KL_OPTIM_CASE(stem, n + 1)
#define KL_OPTIM_CASES4(stem, n) KL_OPTIM_CASES2(stem, n) KL_OPTIM_CASES2(stem, n + 2)
#define KL_OPTIM_CASES8(stem, n) KL_OPTIM_CASES4(stem, n) KL_OPTIM_CASES4(stem, n + 4)
#define KL_OPTIM_CASES16(stem, n) KL_OPTIM_CASES8(stem, n) KL_OPTIM_CASES8(stem, n + 8)

#include "kael/optim/groups.inc.h"

#include "kael/optim/adadelta.inc.h"
#include "kael/optim/adagrad.inc.h"
#include "kael/optim/adam.inc.h"
#include "kael/optim/adamax.inc.h"
#include "kael/optim/asgd.inc.h"
#include "kael/optim/assign.inc.h"
#include "kael/optim/average.inc.h"
#include "kael/optim/clip.inc.h"
#include "kael/optim/lion.inc.h"
#include "kael/optim/nadam.inc.h"
#include "kael/optim/radam.inc.h"
#include "kael/optim/rmsprop.inc.h"
#include "kael/optim/rprop.inc.h"
#include "kael/optim/sgd.inc.h"
#include "kael/optim/stage.inc.h"

#undef KL_OPTIM_KERNEL
#undef KL_OPTIM_CASE
#undef KL_OPTIM_CASES2
#undef KL_OPTIM_CASES4
#undef KL_OPTIM_CASES8
#undef KL_OPTIM_CASES16
