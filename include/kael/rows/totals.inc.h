/* What row kernels share (numerics R5), stamped per instruction set and type.
 *
 * A kernel gets the call, a view of contiguous rows of its operands, the first one's number and how
 * many. Rows stay in cache between the passes. Totals are R3's fold, so a row has the same bits at
 * any place in any batch. Stamped after folds.h.
 */
#include "kael/math.inc.h"

/* The fold of x[size], or of x * y where y is given, by the set that converts floats fastest. */
KL_INLINE double KL_FN(fold_of)(const T *x, const T *y, int64_t size) {
    if (sizeof(T) == sizeof(double)) return KL_FN(row_fold)(x, y, size);
    return KL_CAT4(kl, row_fold, KL_TYPE, KL_CAT2(KL_NARROWER_, KL_ISA))(x, y, size);
}

/* The largest of x[size], size > 0, to subtract: of both zeros it may be either, and where there is
 * a NaN, which makes the whole row NaN, any other element. */
KL_INLINE T KL_FN(largest)(const T *x, int64_t size) {
    enum { width = V(width), vectors = 4 };
    V(vec) most[vectors];
    KL_UNROLL
    for (int v = 0; v < vectors; v++) most[v] = V(splat)((T)-INFINITY);
    int64_t i = 0;
    for (; i + vectors * width <= size; i += vectors * width) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            most[v] = V(max)(V(load)(x + i + v * width), most[v]);
        }
    }
    for (; i < size; i += width) {
        const int64_t left = kl_min(size - i, width);
        const V(mask) real = V(lt)(V(iota)(), V(splat)((T)left));
        const V(vec) met = V(max)(V(load_part)(x + i, left), most[0]);
        most[0] = V(select)(real, met, most[0]);
    }
    V(vec) met = V(max)(V(max)(most[0], most[1]), V(max)(most[2], most[3]));
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        const int half = width >> level;
        if (half > 0) met = V(max)(met, V(swap)(met, half));
    }
    return V(head)(met);
}

/* exp(x - shift), where `below` says that no x is above it, unless the row has a NaN, whatever is
 * made of its other elements: the bound from above is a twelfth of an exponential. */
KL_INLINE V(vec) KL_FN(shifted_exp)(bool below, V(vec) x, V(vec) shift) {
    x = V(sub)(x, shift);
    return below ? KL_FN(exp_below)(x) : KL_FN(exp)(x);
}

/* e[i] = exp(x[i] - shift). */
KL_INLINE void KL_FN(exp_shifted)(bool below, const T *x, T shift, T *e, int64_t size) {
    const V(vec) most = V(splat)(shift);
    KL_EACH(i, left, size, V(width)) {
        KL_FN(put)(e + i, KL_FN(shifted_exp)(below, KL_FN(take)(x + i, left), most), left);
    }
}

/* The fold of exp(x[i] - shift) for i < size <= KL_REDUCTION_BLOCK, kept in e where e is not
 * NULL. Goes by chunks that stay in L1. */
KL_INLINE double KL_FN(exp_block)(bool below, const T *x, T shift, T *e, int64_t size) {
    enum { chunk = 16 * KL_LANES };
    T buffer[chunk];
    KL_FN(lanes) lanes = KL_FN(lanes_start)(KL_TERM_VALUE);
    for (int64_t i = 0; i < size; i += chunk) {
        const int64_t count = kl_min(size - i, chunk);
        T *to = e ? e + i : buffer;
        KL_FN(exp_shifted)(below, x + i, shift, to, count);
        KL_FN(lanes_add)(&lanes, KL_TERM_VALUE, to, NULL, 0, count, 0);
    }
    return KL_FN(lanes_meet)(&lanes, KL_TERM_VALUE);
}

static double KL_FN(exp_total)(bool below, const T *x, T shift, T *e, int64_t size) {
    if (size <= KL_REDUCTION_BLOCK) return KL_FN(exp_block)(below, x, shift, e, size);
    struct kl_tree tree;
    tree.blocks = tree.depth = 0;
    for (int64_t i = 0; i < size; i += KL_REDUCTION_BLOCK) {
        const int64_t count = kl_min(size - i, KL_REDUCTION_BLOCK);
        kl_tree_push(&tree, KL_TERM_VALUE,
                     KL_FN(exp_block)(below, x + i, shift, e ? e + i : NULL, count));
    }
    return kl_tree_total(&tree, KL_TERM_VALUE);
}

/* Rows that go through the passes of a kernel together: as many as stay in L1 with what is
 * made of them, so that chains of exponentials and the ends of folds, which wait for one value,
 * overlap with others (softmax of 4096 x 65: 234 us row by row, 189 so). */
enum { KL_FN(near_room) = (1 << 13) / sizeof(T) };

KL_INLINE int64_t KL_FN(group)(int64_t size, int64_t rows) {
    const int64_t fit = KL_FN(near_room) / kl_round_up(kl_max(1, size), V(width));
    return kl_min(rows, kl_max(1, kl_min(fit, KL_ROW_GROUP)));
}

/* Row r of an operand. */
KL_INLINE T *KL_FN(row)(const struct kl_row_view *view, int which, int64_t r) {
    return (T *)view->data[which] + r * view->stride[which];
}

/* The pass that makes a row of the result, function(far, ..), once for results that are streamed
 * and once for others. */
#define KL_MAKE_ROW(call, function, ...) \
    ((call)->streamed ? function(true, __VA_ARGS__) : function(false, __VA_ARGS__))

/* Walks out[size] like KL_EACH; but where it is streamed (`far`) the first vector ends where one of
 * the machine does, so that whole ones after it are aligned. */
#define KL_EACH_OUT(far, i, left, out, size)                                          \
    for (int64_t i = 0, left = (far) ? KL_FN(lead)((out), (size)) : (size); left > 0; \
         i += (far) ? kl_min(left, V(width)) : V(width), left = (size) - i)

KL_INLINE int64_t KL_FN(lead)(const T *out, int64_t size) {
    const uintptr_t bytes = V(width) * sizeof(T);
    const int64_t lead = (int64_t)((-(uintptr_t)out & (bytes - 1)) / sizeof(T));
    return lead > 0 ? kl_min(lead, size) : size;
}

KL_INLINE void KL_FN(put_out)(bool far, T *p, V(vec) x, int64_t left) {
    if (far && left >= V(width)) {
        V(stream)(p, x);
    } else {
        KL_FN(put)(p, x, left);
    }
}

/* Where the exponentials of row g of a group are kept: in near[near_room], or, if they do not fit,
 * in the row of the output, whose number is r, unless that is streamed. */
KL_INLINE T *KL_FN(kept)(const struct kl_rows *call, const struct kl_row_view *view, T *near,
                         int64_t g, int64_t r) {
    if (call->size > KL_FN(near_room)) {
        return call->streamed ? (T *)view->scratch : KL_FN(row)(view, KL_ROW_OUT, r);
    }
    return near + g * kl_round_up(call->size, V(width));
}

/* The totals of exp(x - shift) of each row of a group (`below`: see shifted_exp), the exponentials
 * kept where they fit in near or `keep` is set. */
KL_INLINE void KL_FN(group_sums)(const struct kl_rows *call, const struct kl_row_view *view,
                                 int64_t first, int64_t count, bool below, bool keep, T *near,
                                 const T *shift, T *totals) {
    const int64_t size = call->size;
    if (size > KL_FN(near_room)) {
        for (int64_t g = 0; g < count; g++) {
            T *e = keep ? KL_FN(kept)(call, view, near, g, first + g) : NULL;
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            totals[g] = (T)KL_FN(exp_total)(below, x, shift[g], e, size);
        }
        return;
    }
    for (int64_t g = 0; g < count; g++) {
        T *e = KL_FN(kept)(call, view, near, g, first + g);
        const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
        KL_FN(exp_shifted)(below, x, shift[g], e, size);
    }
    for (int64_t g = 0; g < count; g++) {
        const T *e = KL_FN(kept)(call, view, near, g, first + g);
        totals[g] = (T)KL_FN(fold_of)(e, NULL, size);
    }
}

/* The largest of each row of a group, and group_sums above it. */
KL_INLINE void KL_FN(group_totals)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t first, int64_t count, bool keep, T *near, T *largest,
                                   T *totals) {
    for (int64_t g = 0; g < count; g++) {
        largest[g] = KL_FN(largest)(KL_FN(row)(view, KL_ROW_X, first + g), call->size);
    }
    KL_FN(group_sums)(call, view, first, count, true, keep, near, largest, totals);
}

/* logs = log(logs). */
KL_INLINE void KL_FN(each_log)(T *logs, int64_t size) {
    KL_EACH(i, left, size, V(width)) {
        KL_FN(put)(logs + i, KL_FN(log)(KL_FN(take)(logs + i, left)), left);
    }
}

KL_INLINE void KL_FN(group_logs)(const struct kl_rows *call, const struct kl_row_view *view,
                                 int64_t first, int64_t count, T *largest, T *logs) {
    T near[KL_FN(near_room)];
    KL_FN(group_totals)(call, view, first, count, false, near, largest, logs);
    KL_FN(each_log)(logs, count);
}

/* out = e / total * factor. */
KL_INLINE void KL_FN(scaled_share)(bool far, const T *e, T total, T factor, T *out,
                                   int64_t size) {
    const V(vec) divisor = V(splat)(total), slope = V(splat)(factor);
    KL_EACH_OUT(far, i, left, out, size) {
        const V(vec) share = V(div)(KL_FN(take)(e + i, left), divisor);
        KL_FN(put_out)(far, out + i, V(mul)(share, slope), left);
    }
}
