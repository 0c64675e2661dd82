/* The arithmetic of one row (numerics R5), stamped per instruction set and type.
 *
 * A kernel gets the call, a view of contiguous rows of x, y and out, the first one's number and how
 * many. Rows stay in cache between the passes. Totals are R3's fold, so a row has the same bits at
 * any place in any batch.
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

/* Rows that go through the passes of a kernel together: as many as stay in L1, so that the ends of
 * short rows, which wait for one value, overlap. */
KL_INLINE int64_t KL_FN(group)(int64_t size, int64_t rows) {
    const int64_t fit = (1 << 14) / (kl_max(1, size) * (int64_t)sizeof(T));
    return kl_min(rows, kl_max(1, kl_min(fit, kl_row_group)));
}

/* Row r of an operand. */
KL_INLINE T *KL_FN(row)(const struct kl_row_view *view, int which, int64_t r) {
    return (T *)view->data[which] + r * view->stride[which];
}

#define KL_EACH_GROUP                                                          \
    for (int64_t first = 0, count = KL_FN(group)(call->size, rows); first < rows; \
         first += count, count = kl_min(count, rows - first))
#define KL_EACH_ROW for (int64_t g = 0; g < count; g++)
#define KL_ROW(which) KL_FN(row)(view, which, first + g)

/* The largest of each row of a group; then the totals, the exponentials kept in the output where
 * `keep` is set. */
KL_INLINE void KL_FN(group_totals)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t first, int64_t count, bool keep, T *largest,
                                   T *totals) {
    KL_EACH_ROW largest[g] = KL_FN(extreme)(true, KL_ROW(KL_ROW_X), call->size);
    KL_EACH_ROW {
        T *e = keep ? KL_ROW(KL_ROW_OUT) : NULL;
        totals[g] = (T)KL_FN(exp_total)(KL_ROW(KL_ROW_X), largest[g], e, call->size);
    }
}

KL_INLINE void KL_FN(group_logs)(const struct kl_rows *call, const struct kl_row_view *view,
                                 int64_t first, int64_t count, T *largest, T *logs) {
    KL_FN(group_totals)(call, view, first, count, false, largest, logs);
    const int64_t size = count;
    KL_EACH(V(width)) KL_FN(put)(logs + i, KL_FN(log)(KL_FN(take)(logs + i, left)), left);
}

/* out = exp(x - largest) / total. */
static int KL_FN(softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                               int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T largest[kl_row_group], totals[kl_row_group];
        KL_FN(group_totals)(call, view, first, count, true, largest, totals);
        KL_EACH_ROW {
            T *out = KL_ROW(KL_ROW_OUT);
            const V(vec) total = V(splat)(totals[g]);
            KL_EACH(V(width)) KL_FN(put)(out + i, V(div)(KL_FN(take)(out + i, left), total), left);
        }
    }
    return KL_OK;
}

/* out = (x - largest) - log(total). */
static int KL_FN(log_softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T largest[kl_row_group], logs[kl_row_group];
        KL_FN(group_logs)(call, view, first, count, largest, logs);
        KL_EACH_ROW {
            const T *x = KL_ROW(KL_ROW_X);
            T *out = KL_ROW(KL_ROW_OUT);
            const V(vec) shift = V(splat)(largest[g]), log_total = V(splat)(logs[g]);
            KL_EACH(V(width)) {
                const V(vec) shifted = V(sub)(KL_FN(take)(x + i, left), shift);
                KL_FN(put)(out + i, V(sub)(shifted, log_total), left);
            }
        }
    }
    return KL_OK;
}

/* x = softmax, y = its gradient: out = x * (y - fold(x * y)). */
static int KL_FN(softmax_backward_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                        int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T shared[kl_row_group];
        KL_EACH_ROW {
            shared[g] =
                (T)KL_FN(fold)(KL_TERM_PRODUCT, KL_ROW(KL_ROW_X), KL_ROW(KL_ROW_Y), 0, size);
        }
        KL_EACH_ROW {
            const T *x = KL_ROW(KL_ROW_X), *y = KL_ROW(KL_ROW_Y);
            T *out = KL_ROW(KL_ROW_OUT);
            const V(vec) share = V(splat)(shared[g]);
            KL_EACH(V(width)) {
                const V(vec) part = V(sub)(KL_FN(take)(y + i, left), share);
                KL_FN(put)(out + i, V(mul)(KL_FN(take)(x + i, left), part), left);
            }
        }
    }
    return KL_OK;
}

/* x = log_softmax, y = its gradient: out = y - exp(x) * fold(y). */
static int KL_FN(log_softmax_backward_rows)(const struct kl_rows *call,
                                            const struct kl_row_view *view, int64_t row,
                                            int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP KL_EACH_ROW {
        const T *x = KL_ROW(KL_ROW_X), *y = KL_ROW(KL_ROW_Y);
        T *out = KL_ROW(KL_ROW_OUT);
        const V(vec) total = V(splat)((T)KL_FN(fold)(KL_TERM_VALUE, y, NULL, 0, size));
        KL_EACH(V(width)) {
            const V(vec) share = V(mul)(KL_FN(exp)(KL_FN(take)(x + i, left)), total);
            KL_FN(put)(out + i, V(sub)(KL_FN(take)(y + i, left), share), left);
        }
    }
    return KL_OK;
}

/* The centers of a group's rows, and 1 / sqrt(variance + eps): moments[g] = {center, scale}. */
KL_INLINE void KL_FN(group_moments)(const struct kl_rows *call, const struct kl_row_view *view,
                                    int64_t first, int64_t count, double (*moments)[2]) {
    const int64_t size = call->size;
    KL_EACH_ROW {
        moments[g][0] =
            KL_FN(fold)(KL_TERM_VALUE, KL_ROW(KL_ROW_X), NULL, 0, size) / (double)size;
    }
    KL_EACH_ROW {
        const double squares =
            KL_FN(fold)(KL_TERM_DEVIATION, KL_ROW(KL_ROW_X), NULL, moments[g][0], size);
        moments[g][1] = 1 / sqrt(squares / (double)size + call->eps);
    }
}

/* out[i] = out[i] * weight[i] + bias[i], rounded twice; weight is not NULL. */
KL_INLINE void KL_FN(affine)(const struct kl_rows *call, T *out) {
    const T *weight = (const T *)call->weight, *bias = (const T *)call->bias;
    const int64_t size = call->size;
    KL_EACH(V(width)) {
        V(vec) scaled = V(mul)(KL_FN(take)(out + i, left), KL_FN(take)(weight + i, left));
        if (bias) scaled = V(add)(scaled, KL_FN(take)(bias + i, left));
        KL_FN(put)(out + i, scaled, left);
    }
}

/* out = (x - center) * scale in double, rounded once; then, where given, * weight, + bias. */
static int KL_FN(standardize_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t row, int64_t rows) {
    const int64_t size = call->size;
    KL_EACH_GROUP {
        double moments[kl_row_group][2];
        KL_FN(group_moments)(call, view, first, count, moments);
        if (call->moments) {
            memcpy(call->moments + 2 * (row + first), moments, (size_t)count * sizeof moments[0]);
        }
        KL_EACH_ROW {
            const T *x = KL_ROW(KL_ROW_X);
            T *out = KL_ROW(KL_ROW_OUT);
            const VD(vec) center = VD(splat)(moments[g][0]), scale = VD(splat)(moments[g][1]);
            KL_EACH(VD(width)) {
                const VD(vec) centred = VD(sub)(KL_FN(take_wide)(x + i, left), center);
                KL_FN(put_narrow)(out + i, VD(mul)(centred, scale), left);
            }
            if (call->weight) KL_FN(affine)(call, out);
        }
    }
    return KL_OK;
}

/* x, y = the gradient of its standardized row s, with the forward pass's moments:
 * out = scale * (y - mean(y) - s * mean(s * y)), in double, rounded once. */
static int KL_FN(standardize_backward_rows)(const struct kl_rows *call,
                                            const struct kl_row_view *view, int64_t row,
                                            int64_t rows) {
    const int64_t size = call->size;
    KL_EACH_GROUP KL_EACH_ROW {
        const T *x = KL_ROW(KL_ROW_X), *y = KL_ROW(KL_ROW_Y);
        T *out = KL_ROW(KL_ROW_OUT);
        const double *moments = call->moments + 2 * (row + first + g);
        const double n = (double)size, factor = moments[1];
        const double mean = KL_FN(fold)(KL_TERM_VALUE, y, NULL, 0, size) / n;
        const double moment = KL_FN(fold)(KL_TERM_MOMENT, x, y, moments[0], size) / n;
        const VD(vec) center = VD(splat)(moments[0]), scale = VD(splat)(factor);
        const VD(vec) lift = VD(splat)(mean), slope = VD(splat)(moment * factor * factor);
        KL_EACH(VD(width)) {
            const VD(vec) centred = VD(sub)(KL_FN(take_wide)(x + i, left), center);
            const VD(vec) level = VD(sub)(KL_FN(take_wide)(y + i, left), lift);
            const VD(vec) rest = VD(sub)(level, VD(mul)(centred, slope));
            KL_FN(put_narrow)(out + i, VD(mul)(scale, rest), left);
        }
    }
    return KL_OK;
}

/* The targets of a group's rows, read once: what was checked is what is used, also when another
 * thread writes to them meanwhile. False if one is out of range. */
KL_INLINE bool KL_FN(group_targets)(const struct kl_rows *call, int64_t row, int64_t count,
                                    int64_t *targets) {
    bool fit = true;
    KL_EACH_ROW {
        targets[g] = *(const volatile int64_t *)&call->targets[row + g];
        fit &= targets[g] >= 0 && targets[g] < call->size;
    }
    return fit;
}

/* out[0] = log(total) - (x[target] - largest). */
static int KL_FN(cross_entropy_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                     int64_t row, int64_t rows) {
    KL_EACH_GROUP {
        T largest[kl_row_group], logs[kl_row_group];
        int64_t targets[kl_row_group];
        if (!KL_FN(group_targets)(call, row + first, count, targets)) return KL_INDEX_RANGE;
        KL_FN(group_logs)(call, view, first, count, largest, logs);
        KL_EACH_ROW {
            const T chosen = KL_ROW(KL_ROW_X)[targets[g]];
            *KL_ROW(KL_ROW_OUT) = logs[g] - (chosen - largest[g]);
        }
    }
    return KL_OK;
}

/* out = softmax(x) * y[0], minus y[0] at the target; y[0] is the gradient of the row's loss. */
static int KL_FN(cross_entropy_backward_rows)(const struct kl_rows *call,
                                              const struct kl_row_view *view, int64_t row,
                                              int64_t rows) {
    const int64_t size = call->size;
    KL_EACH_GROUP {
        T largest[kl_row_group], totals[kl_row_group];
        int64_t targets[kl_row_group];
        if (!KL_FN(group_targets)(call, row + first, count, targets)) return KL_INDEX_RANGE;
        KL_FN(group_totals)(call, view, first, count, true, largest, totals);
        KL_EACH_ROW {
            T *out = KL_ROW(KL_ROW_OUT);
            const T slope = *KL_ROW(KL_ROW_Y);
            const V(vec) total = V(splat)(totals[g]), factor = V(splat)(slope);
            KL_EACH(V(width)) {
                const V(vec) share = V(div)(KL_FN(take)(out + i, left), total);
                KL_FN(put)(out + i, V(mul)(share, factor), left);
            }
            out[targets[g]] -= slope;
        }
    }
    return KL_OK;
}

#undef KL_ROW
#undef KL_EACH_ROW
#undef KL_EACH_GROUP
#undef KL_EACH
