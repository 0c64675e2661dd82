/* What row kernels share (numerics R5), stamped per instruction set and type.
 *
 * A kernel gets the call, a view of contiguous rows of its operands, the first one's number and how
 * many. Rows stay in cache between the passes. Totals are R3's fold, so a row has the same bits at
 * any place in any batch.
 */
#include "kael/fold.inc.h"
#include "kael/math.inc.h"
#include "kael/reduce_extreme.inc.h"

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

/* out = out / total * factor. */
KL_INLINE void KL_FN(scaled_share)(T *out, T total, T factor, int64_t size) {
    const V(vec) divisor = V(splat)(total), slope = V(splat)(factor);
    KL_EACH(V(width)) {
        const V(vec) share = V(div)(KL_FN(take)(out + i, left), divisor);
        KL_FN(put)(out + i, V(mul)(share, slope), left);
    }
}
