/* The fold of numerics R3 for many outputs of few elements each: down columns, and along short
 * rows. Totals of a vector of outputs are made, finished and stored together.
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

/* What the first element of a lane leaves there: with its start, but that -0 is still to be made
 * +0. That can wait for the total, which is -0 only if every lane is. */
KL_INLINE VD(vec) KL_FN(first)(int term, VD(vec) x) {
    switch (term) {
    case KL_TERM_SQUARE: return VD(mul)(x, x);
    case KL_TERM_ABS: return VD(abs)(x);
    default: return x;
    }
}

/* The total of lanes that began so. */
KL_INLINE VD(vec) KL_FN(positive)(int term, VD(vec) total) {
    return term == KL_TERM_FACTOR ? total : VD(add)(total, VD(splat)(0));
}

/* a[v] = the lane of `vectors` vectors of columns that begins at x, of which `left` columns exist;
 * `further` rows of it follow, none where it is not `deep`. */
KL_INLINE void KL_FN(few_lane)(int term, const int vectors, const bool deep, const T *x,
                               int64_t stride, int64_t further, int64_t left, VD(vec) *a) {
    const VD(vec) none = VD(splat)(0);
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        a[v] = KL_FN(first)(term, KL_FN(take_wide)(x + v * VD(width), left));
    }
    for (int64_t n = 0; deep && n < further; n++) {
        x += KL_LANES * stride;
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const VD(vec) next = KL_FN(take_wide)(x + v * VD(width), left);
            a[v] = KL_FN(contribute)(term, a[v], next, none, none);
        }
    }
}

KL_INLINE void KL_FN(few_join)(int term, const int vectors, VD(vec) *a, const VD(vec) *b) {
    KL_UNROLL
    for (int v = 0; v < vectors; v++) a[v] = KL_FN(join)(term, a[v], b[v]);
}

/* The step of a walk: `count` lanes from row `lane` on meet, then `meets` of what waits. */
struct KL_FN(few) {
    const struct kl_ended *e;
    int64_t stride, gap, lane;
    int depth, meets; /* what waits after the step, and what meets in it */
    bool last;
};

/* Columns of a step: x and out are theirs, and waiting[KL_FEW_PIECE * depth]. */
KL_INLINE void KL_FN(few_block)(const struct KL_FN(few) *s, int term, const int vectors,
                                const int count, const bool deep, const T *x, int64_t left,
                                double *waiting, T *out) {
    const int64_t stride = s->stride, gap = s->gap, after = s->e->size - 1 - s->lane;
    VD(vec) a[KL_FEW_VECTORS], b[KL_FEW_VECTORS], c[KL_FEW_VECTORS];
#define KL_LANE(n, to)                                                                \
    KL_FN(few_lane)(term, vectors, deep, x + (n) * gap * stride, stride,              \
                    (after - (n) * gap) / KL_LANES, left, to)
    KL_LANE(0, a);
    if (count > 2) {
        KL_LANE(2, b);
        KL_FN(few_join)(term, vectors, a, b);
    }
    if (count > 1) KL_LANE(1, b);
    if (count > 3) {
        KL_LANE(3, c);
        KL_FN(few_join)(term, vectors, b, c);
    }
    if (count > 1) KL_FN(few_join)(term, vectors, a, b);
#undef KL_LANE
    double *place = waiting + s->depth * KL_FEW_PIECE;
    for (int m = s->meets - 1; m >= 0; m--) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            b[v] = VD(load)(place + m * KL_FEW_PIECE + v * VD(width));
        }
        KL_FN(few_join)(term, vectors, a, b);
    }
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        if (!s->last) {
            VD(store)(place + v * VD(width), a[v]);
        } else {
            const VD(vec) total = KL_FN(positive)(term, a[v]), divisor = VD(splat)(s->e->divisor);
            KL_FN(put_narrow)(out + v * VD(width), KL_FN(finished)(s->e->finish, total, divisor),
                              left);
        }
    }
}

KL_INLINE void KL_FN(few_step)(const struct KL_FN(few) *s, int term, const int count,
                               const bool deep, const T *x, int64_t columns, double *waiting,
                               T *out) {
    enum { width = VD(width), block = KL_FEW_VECTORS * width };
    int64_t c = 0;
    for (; c + block <= columns; c += block) {
        KL_FN(few_block)(s, term, KL_FEW_VECTORS, count, deep, x + c, width, waiting + c, out + c);
    }
    for (; c < columns; c += width) {
        KL_FN(few_block)(s, term, 1, count, deep, x + c, columns - c, waiting + c, out + c);
    }
}

/* out[column] = the fold of x[r * stride + column], r < size. */
KL_INLINE void KL_FN(few_columns)(const struct kl_ended *e, int term, const T *x, int64_t stride,
                                  int64_t columns, T *out) {
    static const int order[] = {0, 4, 2, 6, 1, 5, 3, 7};
    double waiting[3 * KL_FEW_PIECE];
    struct KL_FN(few) s = {e, stride, 1, 0, 0, 0, false};
    while (s.gap < 8 && 4 * s.gap < e->size) s.gap *= 2;
    for (int64_t first = 0; first < columns; first += KL_FEW_PIECE) {
        const int64_t width = kl_min(columns - first, KL_FEW_PIECE);
        for (int number = 0; number < s.gap; number++) {
            s.lane = order[number] * s.gap / 8;
            s.meets = __builtin_ctz(~(unsigned)number);
            s.depth = __builtin_popcount((unsigned)number) - s.meets;
            s.last = number + 1 == s.gap;
            const T *from = x + first + s.lane * stride;
            T *to = out + first;
#define KL_STEP(count, deep) \
    KL_FN(few_step)(&s, term, count, deep, from, width, waiting, to); \
    break
            switch (e->size > KL_LANES ? 5 : kl_min(4, kl_ceil_div(e->size - s.lane, s.gap))) {
            case 1: KL_STEP(1, false);
            case 2: KL_STEP(2, false);
            case 3: KL_STEP(3, false);
            case 4: KL_STEP(4, false);
            default: KL_STEP(4, true);
            }
#undef KL_STEP
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

/* A vector of rows that a vector holds: turned as they are, column for column a lane. */
KL_INLINE VD(vec) KL_FN(few_held)(int term, const T *x, int64_t stride, int64_t size) {
    enum { width = VD(width) };
    VD(vec) a[width];
    KL_UNROLL
    for (int i = 0; i < width; i++) {
        a[i] = KL_FN(first)(term, KL_FN(take_wide)(x + i * stride, size));
    }
    VD(turn)(a);
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        KL_UNROLL
        for (int i = 0; i < width; i++) {
            const int half = width >> level;
            if (i < half && i + half < size) a[i] = KL_FN(join)(term, a[i], a[i + half]);
        }
    }
    return KL_FN(positive)(term, a[0]);
}

/* A vector of rows, of which `left` exist, turned so that the last halvings are those of all of
 * them at once. */
KL_INLINE VD(vec) KL_FN(few_turned)(int term, const int vectors, const T *x, int64_t stride,
                                    int64_t left, int64_t size) {
    enum { width = VD(width) };
    VD(vec) a[width];
    for (int64_t i = 0; i < left; i++) {
        a[i] = KL_FN(row_lanes)(term, vectors, x + i * stride, size);
    }
    for (int64_t i = left; i < width; i++) a[i] = VD(splat)(0);
    VD(turn)(a);
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        KL_UNROLL
        for (int i = 0; i < width; i++) {
            const int half = width >> level;
            if (i < half) a[i] = KL_FN(join)(term, a[i], a[i + half]);
        }
    }
    return a[0];
}

KL_INLINE void KL_FN(few_rows_by)(const struct kl_ended *e, int term, const int vectors,
                                  const T *x, int64_t stride, int64_t rows, T *out) {
    enum { width = VD(width) };
    const VD(vec) divisor = VD(splat)(e->divisor);
    for (int64_t r = 0; r < rows; r += width) {
        const int64_t left = kl_min(rows - r, width);
        const T *from = x + r * stride;
        const VD(vec) total =
            vectors == 1 && left == width
                ? KL_FN(few_held)(term, from, stride, e->size)
                : KL_FN(few_turned)(term, vectors, from, stride, left, e->size);
        KL_FN(put_narrow)(out + r, KL_FN(finished)(e->finish, total, divisor), left);
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
