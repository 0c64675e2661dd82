/* Running sums of rows that are too short to fill vectors, or lie side by side: vectors run across
 * the rows. The levels are those of cumsum.inc.h.
 *
 * A body, stamped by folds.h, because a set may leave short rows to another one.
 */

/* A vector of rows side by side, at most a block long, `left` of them: element e at x + e * x_step.
 * What the levels that reach far back look at is kept in memory, the last three in registers, where
 * a zero stands for what is before element 0; `few`, a literal, says that there are at most eight,
 * which need no other level. x may be out. */
KL_INLINE void KL_FN(scan_vector)(const bool few, const T *x, int64_t x_step, T *out,
                                  int64_t out_step, int64_t size, int64_t left) {
    enum { width = VD(width), step = 4 };
    double lanes[KL_LANES * width], eights[8 * width];
    VD(vec) fours[4], twos[2], one = VD(splat)(0);
    KL_UNROLL
    for (int i = 0; i < step; i++) fours[i] = twos[i % 2] = one;
    for (int64_t e = 0; e < size; e += step) {
        KL_UNROLL
        for (int i = 0; i < step; i++) {
            if (e + i >= size) return;
            double *lane = lanes + (e % KL_LANES + i) * width;
            double *half = lanes + ((e + 16) % KL_LANES + i) * width;
            double *eight = eights + (e % 8 + i) * width;
            VD(vec) start = VD(splat)(0), past = start;
            if (!few && e >= KL_LANES) start = VD(load)(lane);
            VD(vec) met = VD(add)(start, KL_FN(take_wide)(x + (e + i) * x_step, left));
            if (!few) VD(store)(lane, met);
            if (!few && e >= 16) met = VD(add)(met, VD(load)(half));
            if (!few && e >= 8) past = VD(load)(eight);
            if (!few) VD(store)(eight, met);
            met = VD(add)(met, past);
            past = fours[i];
            fours[i] = met;
            met = VD(add)(met, past);
            past = twos[i % 2];
            twos[i % 2] = met;
            met = VD(add)(met, past);
            past = one;
            one = met;
            KL_FN(put_narrow)(out + (e + i) * out_step, VD(add)(met, past), left);
        }
    }
}

KL_INLINE void KL_FN(scan_beside)(const T *x, int64_t x_step, T *out, int64_t out_step,
                                  int64_t size, int64_t left) {
    if (size <= 8) {
        KL_FN(scan_vector)(true, x, x_step, out, out_step, size, left);
    } else {
        KL_FN(scan_vector)(false, x, x_step, out, out_step, size, left);
    }
}

/* A row of `size` elements, a literal that is at most 4. */
KL_INLINE void KL_FN(scan_few)(const T *x, T *out, const int size) {
    double level[4];
    KL_UNROLL
    for (int e = 0; e < 4; e++) level[e] = e < size ? 0.0 + (double)x[e] : 0.0;
    KL_UNROLL
    for (int half = 2; half > 0; half /= 2) {
        KL_UNROLL
        for (int e = 3; e > 0; e--) {
            if (e >= half) level[e] += level[e - half];
        }
    }
    KL_UNROLL
    for (int e = 0; e < 4; e++) {
        if (e < size) out[e] = (T)level[e];
    }
}

/* A square of elements, rows of `left` elements, turned: row r at x + r * stride to `to`. */
KL_INLINE void KL_FN(scan_turn)(const T *x, int64_t stride, int64_t rows, int64_t left, T *to,
                                int64_t step) {
    V(vec) square[V(width)];
    KL_UNROLL
    for (int r = 0; r < V(width); r++) {
        square[r] = r < rows ? KL_FN(take)(x + r * stride, left) : V(splat)(0);
    }
    V(turn)(square);
    KL_UNROLL
    for (int r = 0; r < V(width); r++) {
        if (r < left) KL_FN(put)(to + r * step, square[r], rows);
    }
}

/* A vector of rows: turned, summed side by side, and turned back. */
KL_INLINE void KL_FN(scan_turned)(const T *x, int64_t x_stride, T *out, int64_t out_stride,
                                  int64_t rows, int64_t size) {
    enum { width = V(width) };
    T near[KL_SCAN_SHORT * width];
    for (int64_t e = 0; e < size; e += width) {
        KL_FN(scan_turn)(x + e, x_stride, rows, size - e, near + e * width, width);
    }
    for (int64_t c = 0; c < kl_min(rows, width); c += VD(width)) {
        KL_FN(scan_beside)(near + c, width, near + c, width, size, VD(width));
    }
    for (int64_t e = 0; e < size; e += width) {
        KL_FN(scan_turn)(near + e * width, width, size - e, rows, out + e, out_stride);
    }
}

/* Rows of at most KL_SCAN_SHORT elements: x[rows][size]. */
static KL_UNUSED void KL_FN(scan_short)(const T *x, int64_t x_stride, T *out, int64_t out_stride,
                                        int64_t rows, int64_t size) {
    switch (size) {
#define KL_CASE(few)                                                          \
    case few:                                                                 \
        for (int64_t r = 0; r < rows; r++) {                                  \
            KL_FN(scan_few)(x + r * x_stride, out + r * out_stride, few);     \
        }                                                                     \
        return
        KL_CASE(1);
        KL_CASE(2);
        KL_CASE(3);
        KL_CASE(4);
#undef KL_CASE
    }
    for (int64_t r = 0; r < rows; r += V(width)) {
        KL_FN(scan_turned)(x + r * x_stride, x_stride, out + r * out_stride, out_stride, rows - r,
                           size);
    }
}
