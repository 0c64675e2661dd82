/* The fold of numerics R3 for many outputs of few elements each: down columns, and along short rows.
 * Totals of a vector of outputs are made, finished and stored together.
 *
 * A body, included after fold.inc.h by reduce.inc.h.
 */

KL_INLINE VD(vec) KL_FN(finished)(int finish, VD(vec) total, VD(vec) divisor) {
    switch (finish) {
    case KL_FINISH_ROOT: return VD(sqrt)(total);
    case KL_FINISH_QUOTIENT: return VD(div)(total, divisor);
    default: return total;
    }
}

/* --- down columns ----------------------------------------------------------------------------
 *
 * No lane is stored. Four that are `gap` apart are made and met in registers; what they give waits
 * for its neighbour in a small stack, as blocks do in kl_tree. Of 32 rows and more the order is
 *
 *     {0 8 16 24} {4 12 20 28} {2 10 18 26} {6 14 22 30} {1 9 17 25} ...
 *
 * which is the halving of fold.h depth first; of fewer rows the gap is the least with which four
 * lanes reach them all, so that four rows and less need no stack.
 */

/* a[v] = a lane of `vectors` vectors of columns, of which `left` columns exist. */
KL_INLINE void KL_FN(few_lane)(int term, const int vectors, const T *x, int64_t stride,
                               int64_t lane, int64_t rows, int64_t left, VD(vec) *a) {
    const VD(vec) start = VD(splat)(term == KL_TERM_FACTOR ? 1.0 : 0.0);
    KL_UNROLL
    for (int v = 0; v < vectors; v++) a[v] = start;
    for (int64_t r = lane; r < rows; r += KL_LANES) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const VD(vec) next = KL_FN(take_wide)(x + r * stride + v * VD(width), left);
            a[v] = KL_FN(contribute)(term, a[v], next, start, start);
        }
    }
}

KL_INLINE void KL_FN(few_join)(int term, const int vectors, VD(vec) *a, const VD(vec) *b) {
    KL_UNROLL
    for (int v = 0; v < vectors; v++) a[v] = KL_FN(join)(term, a[v], b[v]);
}

/* a = lanes lane, lane + gap, ... + 3 gap, met. */
KL_INLINE void KL_FN(few_four)(int term, const int vectors, const T *x, int64_t stride,
                               int64_t lane, int64_t gap, int64_t rows, int64_t left, VD(vec) *a) {
    VD(vec) b[KL_FEW_VECTORS], c[KL_FEW_VECTORS];
    KL_FN(few_lane)(term, vectors, x, stride, lane, rows, left, a);
    if (lane + 2 * gap < rows) {
        KL_FN(few_lane)(term, vectors, x, stride, lane + 2 * gap, rows, left, b);
        KL_FN(few_join)(term, vectors, a, b);
    }
    if (lane + gap >= rows) return;
    KL_FN(few_lane)(term, vectors, x, stride, lane + gap, rows, left, b);
    if (lane + 3 * gap < rows) {
        KL_FN(few_lane)(term, vectors, x, stride, lane + 3 * gap, rows, left, c);
        KL_FN(few_join)(term, vectors, b, c);
    }
    KL_FN(few_join)(term, vectors, a, b);
}

/* Columns c .. of a piece at step `number` of its walk, the last of which stores results. */
KL_INLINE void KL_FN(few_step)(const struct kl_ended *e, int term, const int vectors, const T *x,
                               int64_t stride, int64_t number, int64_t gap, int64_t left,
                               double *waiting, T *out) {
    static const int order[] = {0, 4, 2, 6, 1, 5, 3, 7};
    VD(vec) a[KL_FEW_VECTORS], b[KL_FEW_VECTORS];
    KL_FN(few_four)(term, vectors, x, stride, order[number] * gap / 8, gap, e->size, left, a);
    int depth = __builtin_popcount((unsigned)number);
    for (int64_t n = number; n & 1; n >>= 1) {
        depth--;
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            b[v] = VD(load)(waiting + depth * KL_FEW_PIECE + v * VD(width));
        }
        KL_FN(few_join)(term, vectors, a, b);
    }
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        if (number + 1 < gap) {
            VD(store)(waiting + depth * KL_FEW_PIECE + v * VD(width), a[v]);
        } else {
            const VD(vec) total = KL_FN(finished)(e->finish, a[v], VD(splat)(e->divisor));
            KL_FN(put_narrow)(out + v * VD(width), total, left);
        }
    }
}

/* out[column] = the fold of x[r * stride + column], r < size. */
KL_INLINE void KL_FN(few_columns)(const struct kl_ended *e, int term, const T *x, int64_t stride,
                                  int64_t columns, T *out) {
    enum { width = VD(width), block = KL_FEW_VECTORS * width };
    double waiting[3 * KL_FEW_PIECE];
    int64_t gap = 1;
    while (gap < 8 && 4 * gap < e->size) gap *= 2;
    for (int64_t first = 0; first < columns; first += KL_FEW_PIECE) {
        const int64_t count = kl_min(columns - first, KL_FEW_PIECE);
        const T *from = x + first;
        for (int64_t number = 0; number < gap; number++) {
            int64_t c = 0;
            for (; c + block <= count; c += block) {
                KL_FN(few_step)(e, term, KL_FEW_VECTORS, from + c, stride, number, gap, width,
                                waiting + c, out + first + c);
            }
            for (; c < count; c += width) {
                KL_FN(few_step)(e, term, 1, from + c, stride, number, gap, count - c,
                                waiting + c, out + first + c);
            }
        }
    }
}

/* --- along rows ------------------------------------------------------------------------------ */

/* The lanes of a row, which reach `vectors` vectors, a literal, halved into one. */
KL_INLINE VD(vec) KL_FN(row_lanes)(int term, const int vectors, const T *x, int64_t size) {
    KL_FN(lanes) lanes = KL_FN(lanes_start)(term);
    if (vectors == KL_LANES / VD(width)) {
        KL_FN(lanes_add)(&lanes, term, x, NULL, 0, size, 0);
    } else {
        KL_FN(lanes_tail)(&lanes, term, vectors, x, NULL, 0, size);
    }
    return KL_FN(lanes_across)(&lanes, term, vectors);
}

/* A vector of rows is turned, so that the last halvings are those of all of them at once. */
KL_INLINE void KL_FN(few_rows_by)(const struct kl_ended *e, int term, const int vectors,
                                  const T *x, int64_t stride, int64_t rows, T *out) {
    enum { width = VD(width) };
    const VD(vec) divisor = VD(splat)(e->divisor);
    for (int64_t r = 0; r < rows; r += width) {
        const int64_t left = kl_min(rows - r, width);
        VD(vec) a[width];
        for (int64_t i = 0; i < left; i++) {
            a[i] = KL_FN(row_lanes)(term, vectors, x + (r + i) * stride, e->size);
        }
        for (int64_t i = left; i < width; i++) a[i] = divisor;
        VD(turn)(a);
        KL_UNROLL
        for (int level = 1; level <= KL_LANE_LEVELS; level++) {
            KL_UNROLL
            for (int i = 0; i < width; i++) {
                const int half = width >> level;
                if (i < half) a[i] = KL_FN(join)(term, a[i], a[i + half]);
            }
        }
        KL_FN(put_narrow)(out + r, KL_FN(finished)(e->finish, a[0], divisor), left);
    }
}

KL_INLINE void KL_FN(few_rows)(const struct kl_ended *e, int term, const T *x, int64_t stride,
                               int64_t rows, T *out) {
    enum { width = VD(width) };
    if (width > 1 && e->size <= width) {
        KL_FN(few_rows_by)(e, term, 1, x, stride, rows, out);
    } else if (width > 1 && e->size <= 2 * width) {
        KL_FN(few_rows_by)(e, term, 2, x, stride, rows, out);
    } else if (width > 1 && e->size <= 4 * width) {
        KL_FN(few_rows_by)(e, term, 4, x, stride, rows, out);
    } else {
        KL_FN(few_rows_by)(e, term, KL_LANES / width, x, stride, rows, out);
    }
}
