/* Reductions of float rows and columns, stamped per instruction set and type.
 *
 * A row is contiguous: its lanes are registers (fold.inc.h). Columns lie across memory rows: the
 * lanes of a strip of `width` columns are an array acc[lane * width + column], so that vectors run
 * along the columns and memory is streamed. Extremes and their indices are exact in any order and
 * use whatever vectors there are.
 */
#include "kael/fold.inc.h"
#include "kael/reduce_extreme.inc.h"

/* Totals of rows x[rows][size] (at x + r * row_stride), size <= kl_reduction_block. */
static void KL_FN(reduce_rows)(int term, const void *data, int64_t row_stride, int64_t rows,
                               int64_t size, const double *centers, kl_total *totals,
                               int64_t *indices) {
#define KL_ROWS(total)                              \
    for (int64_t r = 0; r < rows; r++) {            \
        const T *x = (const T *)data + r * row_stride; \
        totals[r].f = (total);                      \
    }                                               \
    break
    switch (term) {
    case KL_TERM_VALUE: KL_ROWS(KL_FN(fold_block)(KL_TERM_VALUE, x, NULL, 0, size));
    case KL_TERM_SQUARE: KL_ROWS(KL_FN(fold_block)(KL_TERM_SQUARE, x, NULL, 0, size));
    case KL_TERM_ABS: KL_ROWS(KL_FN(fold_block)(KL_TERM_ABS, x, NULL, 0, size));
    case KL_TERM_DEVIATION:
        KL_ROWS(KL_FN(fold_block)(KL_TERM_DEVIATION, x, NULL, centers[r], size));
    case KL_TERM_FACTOR: KL_ROWS(KL_FN(fold_block)(KL_TERM_FACTOR, x, NULL, 0, size));
    case KL_TERM_MAX: KL_ROWS(KL_FN(extreme)(true, x, size));
    case KL_TERM_MIN: KL_ROWS(KL_FN(extreme)(false, x, size));
    case KL_TERM_ARGMAX: KL_ROWS(KL_FN(extreme_index)(true, x, size, indices + r));
    case KL_TERM_ARGMIN: KL_ROWS(KL_FN(extreme_index)(false, x, size, indices + r));
    }
#undef KL_ROWS
}

/* acc[k] meets x[g * stride + k] for g = 0 .. groups - 1, in this order; k < count. */
KL_INLINE void KL_FN(span)(int term, bool first, const T *x, int64_t stride, int64_t groups,
                           const double *centers, int64_t count, double *acc) {
    enum { width = VD(width), vectors = 4 };
    const VD(vec) start = VD(splat)(term == KL_TERM_FACTOR ? 1.0 : 0.0);
    int64_t k = 0;
    for (; k + vectors * width <= count; k += vectors * width) {
        VD(vec) a[vectors], c[vectors];
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            a[v] = first ? start : VD(load)(acc + k + v * width);
            c[v] = term == KL_TERM_DEVIATION ? VD(load)(centers + k + v * width) : start;
        }
        for (int64_t g = 0; g < groups; g++) {
            KL_UNROLL
            for (int v = 0; v < vectors; v++) {
                a[v] = KL_FN(contribute)(term, a[v], KL_FN(wide)(x + g * stride + k + v * width),
                                         start, c[v]);
            }
        }
        KL_UNROLL
        for (int v = 0; v < vectors; v++) VD(store)(acc + k + v * width, a[v]);
    }
    for (; k < count; k += width) {
        const int64_t left = kl_min(count - k, width);
        VD(vec) a = first ? start : VD(load_part)(acc + k, left);
        const VD(vec) c = term == KL_TERM_DEVIATION ? VD(load_part)(centers + k, left) : start;
        for (int64_t g = 0; g < groups; g++) {
            a = KL_FN(contribute)(term, a, KL_FN(wide_part)(x + g * stride + k, left), start, c);
        }
        VD(store_part)(acc + k, a, left);
    }
}

/* Rows first .. first + rows - 1 of a strip meet its lanes; first is a multiple of kl_lanes.
 * Narrow rows without gaps make one span of kl_lanes * width elements. centers[width] for
 * KL_TERM_DEVIATION. */
KL_INLINE void KL_FN(strip_add)(int term, const T *x, int64_t row_stride, int64_t first,
                                int64_t rows, int64_t width, const double *centers, double *acc) {
    const bool fresh = first == 0;
    const int64_t groups = rows / kl_lanes, tail = rows % kl_lanes;
    if (row_stride == width && width <= kl_near_outputs) {
        const int64_t line = kl_lanes * width;
        double repeated[kl_lanes * kl_near_outputs];
        for (int64_t k = 0; term == KL_TERM_DEVIATION && k < line; k++) {
            repeated[k] = centers[k % width];
        }
        if (groups > 0) KL_FN(span)(term, fresh, x, line, groups, repeated, line, acc);
        if (tail > 0) {
            KL_FN(span)(term, fresh && groups == 0, x + groups * line, line, 1, repeated,
                        tail * width, acc);
        }
        return;
    }
    for (int64_t lane = 0; lane < kl_min(rows, kl_lanes); lane++) {
        KL_FN(span)(term, fresh, x + lane * row_stride, kl_lanes * row_stride,
                    groups + (lane < tail), centers, width, acc + lane * width);
    }
}

static void KL_FN(reduce_columns)(int term, const void *data, int64_t row_stride, int64_t first,
                                  int64_t rows, int64_t width, const double *centers, void *acc) {
    const T *x = (const T *)data;
    switch (term) {
#define KL_CASE(name)                                                                     \
    case name: KL_FN(strip_add)(name, x, row_stride, first, rows, width, centers, acc); break
    KL_CASE(KL_TERM_VALUE);
    KL_CASE(KL_TERM_SQUARE);
    KL_CASE(KL_TERM_ABS);
    KL_CASE(KL_TERM_DEVIATION);
    KL_CASE(KL_TERM_FACTOR);
#undef KL_CASE
    case KL_TERM_MAX:
        KL_FN(strip_extreme)(true, x, row_stride, first, rows, width, acc);
        break;
    case KL_TERM_MIN:
        KL_FN(strip_extreme)(false, x, row_stride, first, rows, width, acc);
        break;
    case KL_TERM_ARGMAX:
        KL_FN(strip_index)(true, x, row_stride, first, rows, width, acc);
        break;
    case KL_TERM_ARGMIN:
        KL_FN(strip_index)(false, x, row_stride, first, rows, width, acc);
        break;
    }
}

/* Halving of a strip's lanes; lanes that no row reached hold nothing and are left out, which
 * changes nothing (fold.h). */
static void KL_FN(columns_meet)(int term, int64_t rows, int64_t width, void *state,
                                kl_total *totals, int64_t *indices) {
    if (term >= KL_TERM_MAX) {
        const T *best = (const T *)state;
        for (int64_t c = 0; c < width; c++) totals[c].f = best[c];
        for (int64_t c = 0; kl_term_is_arg(term) && c < width; c++) {
            indices[c] = (int64_t)best[width + c];
        }
        return;
    }
    double *acc = (double *)state;
    int64_t used = kl_min(rows, kl_lanes);
    for (int64_t half = kl_lanes / 2; half > 0; half /= 2) {
        if (used <= half) continue;
        const int64_t count = (used - half) * width;
        const double *upper = acc + half * width;
        for (int64_t k = 0; k < count; k++) acc[k] = kl_meet(term, acc[k], upper[k]);
        used = half;
    }
    for (int64_t c = 0; c < width; c++) totals[c].f = acc[c];
}

/* One block of dot: sum of x * y. */
static kl_total KL_FN(dot_block)(const void *x, const void *y, int64_t size) {
    return (kl_total){
        .f = KL_FN(fold_block)(KL_TERM_PRODUCT, (const T *)x, (const T *)y, 0, size)};
}
