/* Cross entropy of logits x against a class, or against a distribution q over the classes:
 *
 *     loss     = log(total) - (x[target] - largest), times weight[target]
 *              = -fold(q * ((x - largest) - log(total)))
 *     gradient = softmax * slope, minus slope at the target; slope * weight[target] throughout
 *              = softmax * fold(slope * q) - slope * q
 *
 *     q        = (p * (1 - eps) + eps / size) * weight, where p is given or is 1 at the target
 *
 * The second form with p of a class, eps 0 and no weight has the bits of the first.
 */
#include "kael/rows/totals.inc.h"

#include "kael/fold_columns.inc.h"
#include "kael/rows/columns.inc.h"

/* The targets of a group's rows, read once: what was checked is what is used, also when another
 * thread writes to them meanwhile. -1 for a row that is ignored. False if one is out of range. */
KL_INLINE bool KL_FN(group_targets)(const struct kl_rows *call, int64_t row, int64_t count,
                                    int64_t *targets) {
    bool fit = true, skipped = false;
    for (int64_t g = 0; g < count; g++) {
        const int64_t target = *(const volatile int64_t *)&call->targets[row + g];
        const bool ignored = target == call->ignored && call->skipped;
        targets[g] = ignored ? -1 : target;
        skipped |= ignored;
        fit &= ignored || (target >= 0 && target < call->size);
    }
    if (skipped) __atomic_store_n(call->skipped, 1, __ATOMIC_RELAXED);
    return fit;
}

KL_INLINE T KL_FN(class_weight)(const struct kl_rows *call, int64_t target) {
    return call->weight ? ((const T *)call->weight)[target] : 1;
}

static int KL_FN(cross_entropy_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                     int64_t row, int64_t rows) {
    KL_EACH_GROUP(first, count, call->size, rows) {
        T largest[KL_ROW_GROUP], logs[KL_ROW_GROUP];
        int64_t targets[KL_ROW_GROUP];
        if (!KL_FN(group_targets)(call, row + first, count, targets)) return KL_INDEX_RANGE;
        KL_FN(group_logs)(call, view, first, count, largest, logs);
        for (int64_t g = 0; g < count; g++) {
            T loss = 0;
            if (targets[g] >= 0) {
                loss = logs[g] - (KL_FN(row)(view, KL_ROW_X, first + g)[targets[g]] - largest[g]);
                loss *= KL_FN(class_weight)(call, targets[g]);
            }
            *KL_FN(row)(view, KL_ROW_OUT, first + g) = loss;
        }
    }
    return KL_OK;
}

static int KL_FN(cross_entropy_backward_rows)(const struct kl_rows *call,
                                              const struct kl_row_view *view, int64_t row,
                                              int64_t rows) {
    KL_EACH_GROUP(first, count, call->size, rows) {
        T near[KL_FN(near_room)], largest[KL_ROW_GROUP], totals[KL_ROW_GROUP];
        int64_t targets[KL_ROW_GROUP];
        if (!KL_FN(group_targets)(call, row + first, count, targets)) return KL_INDEX_RANGE;
        KL_FN(group_totals)(call, view, first, count, true, near, largest, totals);
        for (int64_t g = 0; g < count; g++) {
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            if (targets[g] < 0) {
                memset(out, 0, (size_t)call->size * sizeof(T));
                continue;
            }
            const T slope =
                *KL_FN(row)(view, KL_ROW_SLOPE, first + g) * KL_FN(class_weight)(call, targets[g]);
            const T *e = KL_FN(kept)(call, view, near, g, first + g);
            KL_MAKE_ROW(call, KL_FN(scaled_share), e, totals[g], slope, out, call->size);
            out[targets[g]] -= slope;
        }
    }
    return KL_OK;
}

/* --- classes, of rows side by side ------------------------------------------------------------ */

static int KL_FN(cross_entropy_columns)(const struct kl_rows *call, const struct kl_row_view *view,
                                        int64_t row, int64_t rows) {
    struct KL_FN(columns) s;
    int64_t targets[KL_ROW_BESIDE];
    const int64_t step = call->operand[KL_ROW_X].element;
    const T *x = (const T *)view->data[KL_ROW_X];
    if (!KL_FN(group_targets)(call, row, rows, targets)) return KL_INDEX_RANGE;
    KL_FN(columns_exp_totals)(&s, call, view, rows);
    KL_FN(each_log)(s.totals, s.pitch);
    for (int64_t c = 0; c < rows; c++) {
        T loss = 0;
        if (targets[c] >= 0) {
            loss = s.totals[c] - (x[targets[c] * step + c] - s.largest[c]);
            loss *= KL_FN(class_weight)(call, targets[c]);
        }
        *KL_FN(row)(view, KL_ROW_OUT, c) = loss;
    }
    return KL_OK;
}

static int KL_FN(cross_entropy_backward_columns)(const struct kl_rows *call,
                                                 const struct kl_row_view *view, int64_t row,
                                                 int64_t rows) {
    struct KL_FN(columns) s;
    int64_t targets[KL_ROW_BESIDE];
    T slopes[KL_ROW_BESIDE];
    const int64_t step = call->operand[KL_ROW_OUT].element;
    T *out = (T *)view->data[KL_ROW_OUT];
    if (!KL_FN(group_targets)(call, row, rows, targets)) return KL_INDEX_RANGE;
    for (int64_t c = 0; c < rows; c++) {
        slopes[c] = targets[c] < 0 ? 0
                                   : *KL_FN(row)(view, KL_ROW_SLOPE, c) *
                                         KL_FN(class_weight)(call, targets[c]);
    }
    KL_FN(columns_exp_totals)(&s, call, view, rows);
    KL_FN(columns_scaled_shares)(&s, slopes, out, step, rows);
    for (int64_t c = 0; c < rows; c++) {
        if (targets[c] >= 0) out[targets[c] * step + c] -= slopes[c];
        for (int64_t e = 0; targets[c] < 0 && e < call->size; e++) out[e * step + c] = 0;
    }
    return KL_OK;
}

/* --- distributions ---------------------------------------------------------------------------- */

enum { KL_FN(mix_chunk) = 16 * KL_LANES };

/* q[i] of elements first + i, i < size; p is a row of probabilities, or NULL for the target's. */
KL_INLINE void KL_FN(mix)(const struct kl_rows *call, const T *p, int64_t target, int64_t first,
                          int64_t size, T *q) {
    const T kept = (T)(1 - call->eps), spread = (T)(call->eps / (double)call->size);
    const T *weight = (const T *)call->weight;
    KL_EACH(i, left, size, V(width)) {
        V(vec) part = p ? KL_FN(take)(p + first + i, left) : V(splat)(0);
        if (call->eps > 0) {
            part = V(add)(V(mul)(part, V(splat)(kept)), V(splat)(spread));
        }
        KL_FN(put)(q + i, part, left);
    }
    if (!p && target >= first && target < first + size) {
        q[target - first] = call->eps > 0 ? kept + spread : 1;
    }
    if (!weight) return;
    KL_EACH(i, left, size, V(width)) {
        const V(vec) factor = KL_FN(take)(weight + first + i, left);
        KL_FN(put)(q + i, V(mul)(KL_FN(take)(q + i, left), factor), left);
    }
}

/* What a fold over q needs of a row. */
struct KL_FN(mixed_row) {
    const T *x, *p;
    int64_t target;
    T largest, log, slope;
};

/* The fold of q * ((x - largest) - log), or of slope * q, over a block. */
KL_INLINE double KL_FN(mixed_block)(bool loss, const struct kl_rows *call,
                                    const struct KL_FN(mixed_row) *row, int64_t begin,
                                    int64_t end) {
    T q[KL_FN(mix_chunk)];
    const V(vec) shift = V(splat)(row->largest), log = V(splat)(row->log);
    const V(vec) slope = V(splat)(row->slope);
    KL_FN(lanes) lanes = KL_FN(lanes_start)(KL_TERM_VALUE);
    for (int64_t at = begin; at < end; at += KL_FN(mix_chunk)) {
        const int64_t size = kl_min(end - at, KL_FN(mix_chunk));
        KL_FN(mix)(call, row->p, row->target, at, size, q);
        KL_EACH(i, left, size, V(width)) {
            const V(vec) factor =
                loss ? V(sub)(V(sub)(KL_FN(take)(row->x + at + i, left), shift), log) : slope;
            KL_FN(put)(q + i, V(mul)(KL_FN(take)(q + i, left), factor), left);
        }
        KL_FN(lanes_add)(&lanes, KL_TERM_VALUE, q, NULL, 0, size, 0);
    }
    return KL_FN(lanes_meet)(&lanes, KL_TERM_VALUE);
}

KL_INLINE double KL_FN(mixed_fold)(bool loss, const struct kl_rows *call,
                                   const struct KL_FN(mixed_row) *row) {
    struct kl_tree tree;
    tree.blocks = tree.depth = 0;
    for (int64_t at = 0; at < call->size; at += KL_REDUCTION_BLOCK) {
        const int64_t end = kl_min(call->size, at + KL_REDUCTION_BLOCK);
        kl_tree_push(&tree, KL_TERM_VALUE, KL_FN(mixed_block)(loss, call, row, at, end));
    }
    return kl_tree_total(&tree, KL_TERM_VALUE);
}

static int KL_FN(mixed_cross_entropy_rows)(const struct kl_rows *call,
                                           const struct kl_row_view *view, int64_t row,
                                           int64_t rows) {
    KL_EACH_GROUP(first, count, call->size, rows) {
        T largest[KL_ROW_GROUP], logs[KL_ROW_GROUP];
        int64_t targets[KL_ROW_GROUP] = {0};
        if (call->targets && !KL_FN(group_targets)(call, row + first, count, targets)) {
            return KL_INDEX_RANGE;
        }
        KL_FN(group_logs)(call, view, first, count, largest, logs);
        for (int64_t g = 0; g < count; g++) {
            const struct KL_FN(mixed_row) one = {
                .x = KL_FN(row)(view, KL_ROW_X, first + g),
                .p = call->targets ? NULL : KL_FN(row)(view, KL_ROW_Y, first + g),
                .target = targets[g],
                .largest = largest[g],
                .log = logs[g],
            };
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            *out = targets[g] < 0 ? 0 : 0 - (T)KL_FN(mixed_fold)(true, call, &one);
        }
    }
    return KL_OK;
}

/* out = e / total * shared - slope * q, chunk by chunk. */
KL_INLINE void KL_FN(mixed_slopes)(const struct kl_rows *call,
                                   const struct KL_FN(mixed_row) *row, const T *e, T total,
                                   T shared, T *out) {
    T q[KL_FN(mix_chunk)];
    const V(vec) divisor = V(splat)(total), factor = V(splat)(shared);
    const V(vec) slope = V(splat)(row->slope);
    for (int64_t at = 0; at < call->size; at += KL_FN(mix_chunk)) {
        const int64_t size = kl_min(call->size - at, KL_FN(mix_chunk));
        KL_FN(mix)(call, row->p, row->target, at, size, q);
        KL_EACH(i, left, size, V(width)) {
            const V(vec) share = V(div)(KL_FN(take)(e + at + i, left), divisor);
            const V(vec) own = V(mul)(KL_FN(take)(q + i, left), slope);
            KL_FN(put)(out + at + i, V(sub)(V(mul)(share, factor), own), left);
        }
    }
}

static int KL_FN(mixed_cross_entropy_backward_rows)(const struct kl_rows *call,
                                                    const struct kl_row_view *view, int64_t row,
                                                    int64_t rows) {
    KL_EACH_GROUP(first, count, call->size, rows) {
        T near[KL_FN(near_room)], largest[KL_ROW_GROUP], totals[KL_ROW_GROUP];
        int64_t targets[KL_ROW_GROUP] = {0};
        if (call->targets && !KL_FN(group_targets)(call, row + first, count, targets)) {
            return KL_INDEX_RANGE;
        }
        KL_FN(group_totals)(call, view, first, count, true, near, largest, totals);
        for (int64_t g = 0; g < count; g++) {
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            if (targets[g] < 0) {
                memset(out, 0, (size_t)call->size * sizeof(T));
                continue;
            }
            const struct KL_FN(mixed_row) one = {
                .x = KL_FN(row)(view, KL_ROW_X, first + g),
                .p = call->targets ? NULL : KL_FN(row)(view, KL_ROW_Y, first + g),
                .target = targets[g],
                .slope = *KL_FN(row)(view, KL_ROW_SLOPE, first + g),
            };
            const T shared = (T)KL_FN(mixed_fold)(false, call, &one);
            const T *e = KL_FN(kept)(call, view, near, g, first + g);
            KL_FN(mixed_slopes)(call, &one, e, totals[g], shared, out);
        }
    }
    return KL_OK;
}

static const kl_row_function KL_FN(loss_functions)[KL_LOSS_COUNT] = {
#define X(name, cost) KL_FN(name##_rows),
    KL_LOSS_KERNELS(X)
#undef X
};

static const kl_row_function KL_FN(loss_column_functions)[KL_LOSS_COUNT] = {
    [KL_LOSS_cross_entropy] = KL_FN(cross_entropy_columns),
    [KL_LOSS_cross_entropy_backward] = KL_FN(cross_entropy_backward_columns),
};
