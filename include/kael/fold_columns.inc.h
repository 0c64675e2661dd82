/* The fold of numerics R3 down columns: the lanes of a strip of `width` columns are an array
 * acc[lane * width + column], so that vectors run along the columns and memory is streamed.
 *
 * A body, included after fold.inc.h by reduce.inc.h and rows.inc.h.
 */

/* acc[k] meets x[g * stride + k] for g = 0 .. groups - 1, in this order; k < count; y like x, where
 * the term reads it. */
KL_INLINE void KL_FN(span)(int term, bool first, const T *x, const T *y, int64_t stride,
                           int64_t groups, const double *centers, int64_t count, double *acc) {
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
                const int64_t at = g * stride + k + v * width;
                a[v] = KL_FN(contribute)(term, a[v], KL_FN(wide)(x + at),
                                         KL_FN(reads_y)(term) ? KL_FN(wide)(y + at) : start, c[v]);
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
            const int64_t at = g * stride + k;
            a = KL_FN(contribute)(term, a, KL_FN(wide_part)(x + at, left),
                                  KL_FN(reads_y)(term) ? KL_FN(wide_part)(y + at, left) : start, c);
        }
        VD(store_part)(acc + k, a, left);
    }
}

/* Rows first .. first + rows - 1 of a strip meet its lanes; first is a multiple of KL_LANES.
 * Narrow rows without gaps make one span of KL_LANES * width elements. centers[width] for
 * KL_TERM_DEVIATION; y, laid out as x, where the term reads it. */
KL_INLINE void KL_FN(strip_add)(int term, const T *x, const T *y, int64_t row_stride,
                                int64_t first, int64_t rows, int64_t width, const double *centers,
                                double *acc) {
    const bool fresh = first == 0;
    const int64_t groups = rows / KL_LANES, tail = rows % KL_LANES;
    if (row_stride == width && width <= KL_NEAR_OUTPUTS) {
        const int64_t line = KL_LANES * width;
        double repeated[KL_LANES * KL_NEAR_OUTPUTS];
        for (int64_t k = 0; term == KL_TERM_DEVIATION && k < line; k++) {
            repeated[k] = centers[k % width];
        }
        if (groups > 0) KL_FN(span)(term, fresh, x, y, line, groups, repeated, line, acc);
        if (tail > 0) {
            const int64_t at = groups * line;
            KL_FN(span)(term, fresh && groups == 0, x + at, KL_FN(reads_y)(term) ? y + at : y, line,
                        1, repeated, tail * width, acc);
        }
        return;
    }
    for (int64_t lane = 0; lane < kl_min(rows, KL_LANES); lane++) {
        const int64_t at = lane * row_stride;
        KL_FN(span)(term, fresh, x + at, KL_FN(reads_y)(term) ? y + at : y, KL_LANES * row_stride,
                    groups + (lane < tail), centers, width, acc + lane * width);
    }
}

/* Halving of a strip's lanes into the first; lanes that no row reached hold nothing and are left
 * out, which changes nothing (fold.h). */
KL_INLINE void KL_FN(strip_meet)(int term, int64_t rows, int64_t width, double *acc) {
    int64_t used = kl_min(rows, KL_LANES);
    for (int64_t half = KL_LANES / 2; half > 0; half /= 2) {
        if (used <= half) continue;
        const int64_t count = (used - half) * width;
        const double *upper = acc + half * width;
        for (int64_t k = 0; k < count; k++) acc[k] = kl_meet(term, acc[k], upper[k]);
        used = half;
    }
}
