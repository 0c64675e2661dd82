/* The arithmetic of one row (numerics R5), stamped per instruction set and type.
 *
 * A kernel gets the call, the row's number and contiguous rows x, y and out; a row stays in cache
 * between its passes. Totals are R3's fold, so a row has the same bits at any place in any batch.
 */
#include "kael/fold.inc.h"
#include "kael/math.inc.h"
#include "kael/reduce_extreme.inc.h"

#define KL_EACH(vector) for (int64_t i = 0, left = size; left > 0; i += vector, left -= vector)

/* e[i] = exp(x[i] - largest). */
KL_INLINE void KL_FN(exp_shifted)(const T *x, T largest, T *e, int64_t size) {
    const V(vec) shift = V(splat)(largest);
    KL_EACH(V(width)) KL_FN(put)(e + i, KL_FN(exp)(V(sub)(KL_FN(take)(x + i, left), shift)), left);
}

/* The fold of exp(x[i] - largest) for i < size <= kl_reduction_block, kept in e where e is not
 * NULL. Goes by chunks that stay in L1. */
KL_INLINE double KL_FN(exp_block)(const T *x, T largest, T *e, int64_t size) {
    enum { chunk = 16 * kl_lanes };
    T buffer[chunk];
    KL_FN(lanes) lanes = KL_FN(lanes_start)(KL_TERM_VALUE);
    for (int64_t i = 0; i < size; i += chunk) {
        const int64_t count = kl_min(size - i, chunk);
        T *to = e ? e + i : buffer;
        KL_FN(exp_shifted)(x + i, largest, to, count);
        KL_FN(lanes_add)(&lanes, KL_TERM_VALUE, to, NULL, 0, count);
    }
    return KL_FN(lanes_meet)(&lanes, KL_TERM_VALUE);
}

static double KL_FN(exp_total)(const T *x, T largest, T *e, int64_t size) {
    if (size <= kl_reduction_block) return KL_FN(exp_block)(x, largest, e, size);
    struct kl_tree tree;
    tree.blocks = tree.depth = 0;
    for (int64_t i = 0; i < size; i += kl_reduction_block) {
        const int64_t count = kl_min(size - i, kl_reduction_block);
        kl_tree_push(&tree, KL_TERM_VALUE,
                     KL_FN(exp_block)(x + i, largest, e ? e + i : NULL, count));
    }
    return kl_tree_total(&tree, KL_TERM_VALUE);
}

KL_INLINE T KL_FN(log_of)(double total) {
    return V(head)(KL_FN(log)(V(splat)((T)total)));
}

/* out = exp(x - largest) / total. */
static int KL_FN(softmax_row)(const struct kl_rows *call, int64_t row, const void *px,
                              const void *py, void *pout) {
    const int64_t size = call->size;
    const T *x = (const T *)px;
    T *out = (T *)pout;
    (void)row, (void)py;
    const T largest = KL_FN(extreme)(true, x, size);
    const V(vec) total = V(splat)((T)KL_FN(exp_total)(x, largest, out, size));
    KL_EACH(V(width)) KL_FN(put)(out + i, V(div)(KL_FN(take)(out + i, left), total), left);
    return KL_OK;
}

/* out = (x - largest) - log(total). */
static int KL_FN(log_softmax_row)(const struct kl_rows *call, int64_t row, const void *px,
                                  const void *py, void *pout) {
    const int64_t size = call->size;
    const T *x = (const T *)px;
    T *out = (T *)pout;
    (void)row, (void)py;
    const T largest = KL_FN(extreme)(true, x, size);
    const V(vec) log_total = V(splat)(KL_FN(log_of)(KL_FN(exp_total)(x, largest, NULL, size)));
    const V(vec) shift = V(splat)(largest);
    KL_EACH(V(width)) {
        const V(vec) shifted = V(sub)(KL_FN(take)(x + i, left), shift);
        KL_FN(put)(out + i, V(sub)(shifted, log_total), left);
    }
    return KL_OK;
}

/* x = softmax, y = its gradient: out = x * (y - fold(x * y)). */
static int KL_FN(softmax_backward_row)(const struct kl_rows *call, int64_t row, const void *px,
                                       const void *py, void *pout) {
    const int64_t size = call->size;
    const T *x = (const T *)px, *y = (const T *)py;
    T *out = (T *)pout;
    (void)row;
    const V(vec) shared = V(splat)((T)KL_FN(fold)(KL_TERM_PRODUCT, x, y, 0, size));
    KL_EACH(V(width)) {
        const V(vec) part = V(sub)(KL_FN(take)(y + i, left), shared);
        KL_FN(put)(out + i, V(mul)(KL_FN(take)(x + i, left), part), left);
    }
    return KL_OK;
}

/* x = log_softmax, y = its gradient: out = y - exp(x) * fold(y). */
static int KL_FN(log_softmax_backward_row)(const struct kl_rows *call, int64_t row, const void *px,
                                           const void *py, void *pout) {
    const int64_t size = call->size;
    const T *x = (const T *)px, *y = (const T *)py;
    T *out = (T *)pout;
    (void)row;
    const V(vec) total = V(splat)((T)KL_FN(fold)(KL_TERM_VALUE, y, NULL, 0, size));
    KL_EACH(V(width)) {
        const V(vec) share = V(mul)(KL_FN(exp)(KL_FN(take)(x + i, left)), total);
        KL_FN(put)(out + i, V(sub)(KL_FN(take)(y + i, left), share), left);
    }
    return KL_OK;
}

/* The center of a row, and 1 / sqrt(variance + eps). */
KL_INLINE double KL_FN(row_moments)(const T *x, int64_t size, double eps, double *scale) {
    const double center = KL_FN(fold)(KL_TERM_VALUE, x, NULL, 0, size) / (double)size;
    const double squares = KL_FN(fold)(KL_TERM_DEVIATION, x, NULL, center, size);
    *scale = 1 / sqrt(squares / (double)size + eps);
    return center;
}

/* out = (x - center) * scale in double, rounded once; then, where given, * weight, + bias. */
static int KL_FN(standardize_row)(const struct kl_rows *call, int64_t row, const void *px,
                                  const void *py, void *pout) {
    const int64_t size = call->size;
    const T *x = (const T *)px;
    T *out = (T *)pout;
    double scale;
    (void)row, (void)py;
    const VD(vec) center = VD(splat)(KL_FN(row_moments)(x, size, call->eps, &scale));
    const VD(vec) factor = VD(splat)(scale);
    KL_EACH(VD(width)) {
        const VD(vec) centred = VD(sub)(KL_FN(take_wide)(x + i, left), center);
        KL_FN(put_narrow)(out + i, VD(mul)(centred, factor), left);
    }
    const T *weight = (const T *)call->weight, *bias = (const T *)call->bias;
    if (!weight) return KL_OK;
    KL_EACH(V(width)) {
        V(vec) scaled = V(mul)(KL_FN(take)(out + i, left), KL_FN(take)(weight + i, left));
        if (bias) scaled = V(add)(scaled, KL_FN(take)(bias + i, left));
        KL_FN(put)(out + i, scaled, left);
    }
    return KL_OK;
}

/* x, y = the gradient of its standardized row s:
 * out = scale * (y - mean(y) - s * mean(s * y)), in double, rounded once. */
static int KL_FN(standardize_backward_row)(const struct kl_rows *call, int64_t row, const void *px,
                                           const void *py, void *pout) {
    const int64_t size = call->size;
    const T *x = (const T *)px, *y = (const T *)py;
    T *out = (T *)pout;
    double scale;
    (void)row;
    const double center = KL_FN(row_moments)(x, size, call->eps, &scale);
    const double mean = KL_FN(fold)(KL_TERM_VALUE, y, NULL, 0, size) / (double)size;
    const double moment = KL_FN(fold)(KL_TERM_MOMENT, x, y, center, size) / (double)size;
    const VD(vec) middle = VD(splat)(center), factor = VD(splat)(scale), lift = VD(splat)(mean);
    const VD(vec) slope = VD(splat)(moment * scale * scale);
    KL_EACH(VD(width)) {
        const VD(vec) centred = VD(sub)(KL_FN(take_wide)(x + i, left), middle);
        const VD(vec) level = VD(sub)(KL_FN(take_wide)(y + i, left), lift);
        const VD(vec) rest = VD(sub)(level, VD(mul)(centred, slope));
        KL_FN(put_narrow)(out + i, VD(mul)(factor, rest), left);
    }
    return KL_OK;
}

/* losses[row] = log(total) - (x[target] - largest). */
static int KL_FN(cross_entropy_row)(const struct kl_rows *call, int64_t row, const void *px,
                                    const void *py, void *pout) {
    const int64_t size = call->size, target = call->targets[row];
    const T *x = (const T *)px;
    (void)py;
    if (target < 0 || target >= size) return KL_INDEX_RANGE;
    const T largest = KL_FN(extreme)(true, x, size);
    const T log_total = KL_FN(log_of)(KL_FN(exp_total)(x, largest, NULL, size));
    *(T *)pout = log_total - (x[target] - largest);
    return KL_OK;
}

/* out = softmax(x) * g, minus g at the target; g = y[0], the gradient of the row's loss. */
static int KL_FN(cross_entropy_backward_row)(const struct kl_rows *call, int64_t row,
                                             const void *px, const void *py, void *pout) {
    const int64_t size = call->size, target = call->targets[row];
    const T g = *(const T *)py;
    T *out = (T *)pout;
    if (target < 0 || target >= size) return KL_INDEX_RANGE;
    KL_FN(softmax_row)(call, row, px, NULL, pout);
    const V(vec) factor = V(splat)(g);
    KL_EACH(V(width)) KL_FN(put)(out + i, V(mul)(KL_FN(take)(out + i, left), factor), left);
    out[target] -= g;
    return KL_OK;
}

#undef KL_EACH
