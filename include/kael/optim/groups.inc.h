/* Rules that take a root and divide by it, a group of vectors at a time: kael/root_groups.inc.h. */
#include "kael/part.inc.h"
#include "kael/root_groups.inc.h"

enum { KL_FN(most_vectors) = 4 };

/* A row from some element on, and its scalars in every lane. */
struct KL_FN(arrays) {
    T *p, *state[KL_OPTIM_STATES];
    const T *grad;
#define X(name) V(vec) name;
    KL_OPTIM_SCALARS(X)
#undef X
};

KL_INLINE struct KL_FN(arrays) KL_FN(arrays_from)(const struct kl_optim_row *row, int64_t first) {
    struct KL_FN(arrays) a = {.p = KL_FN(from)(row->param, first),
                              .grad = KL_FN(from)(row->grad, first)};
    for (int k = 0; k < KL_OPTIM_STATES; ++k) a.state[k] = KL_FN(from)(row->state[k], first);
#define X(name) a.name = V(splat)((T)row->scalar.name);
    KL_OPTIM_SCALARS(X)
#undef X
    return a;
}

/* The gradient to descend by, as KL_FN(gradient). */
KL_INLINE V(vec) KL_FN(gradients)(V(vec) g, V(vec) x, V(vec) decay, const int variant) {
    const V(vec) downhill = variant & KL_MAXIMIZE ? V(neg)(g) : g;
    return variant & KL_DECAY ? V(add)(downhill, V(mul)(decay, x)) : downhill;
}

/* NaN wins, as in KL_FN(larger). */
KL_INLINE V(vec) KL_FN(largest)(V(vec) a, V(vec) b) {
    return V(select)(V(is_nan)(a), a, V(max)(a, b));
}

/* Elements from i on, in `vectors` vectors; `left` of them exist. */
typedef void (*KL_FN(group))(const struct KL_FN(arrays) *a, int64_t i, int64_t left,
                             const int vectors, const int variant);

KL_INLINE void KL_FN(by_groups)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                KL_FN(group) group, const int vectors, const int variant) {
    const struct KL_FN(arrays) a = KL_FN(arrays_from)(row, first);
    if (V(width) == 1) {
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) group(&a, i, 1, 1, variant);
        return;
    }
    const int most = KL_FN(roots_shared) ? vectors : 1;
    const int64_t step = most * V(width);
    int64_t i = 0;
    for (; i + step <= count; i += step) group(&a, i, step, most, variant);
    for (; i < count; i += V(width)) group(&a, i, count - i, 1, variant);
}
