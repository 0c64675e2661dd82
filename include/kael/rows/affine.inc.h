/* The gradients of a weight and a bias that standardized rows were multiplied by and added to: sums
 * down the columns of g * s and of g, where s is the standardized row, made again from x.
 *
 *     strip of columns   |<- width ->|
 *     rows l, l + 32, ..             products of eight rows of a lane in L1, then their span
 */

enum { KL_FN(affine_depth) = 8 };

/* The lanes of a strip meet rows first .. first + rows - 1 of a block; first is a multiple of
 * kl_lanes * affine_depth. x, g: the strip's first row of these; either lanes may be NULL. */
KL_INLINE void KL_FN(affine_add)(const struct kl_affine *call, const T *x, const T *g,
                                 const double *moments, int64_t first, int64_t rows, int64_t width,
                                 struct kl_affine_lanes *lanes) {
    T products[KL_FN(affine_depth) * kl_affine_strip];
    const int64_t step = kl_lanes * call->size;
    for (int64_t lane = 0; lane < kl_min(rows, kl_lanes); lane++) {
        const int64_t groups = (rows - lane + kl_lanes - 1) / kl_lanes;
        const T *y = g + lane * call->size;
        if (lanes->bias) {
            KL_FN(span)(KL_TERM_VALUE, first == 0, y, step, groups, NULL, width,
                        lanes->bias + lane * width);
        }
        if (!lanes->weight) continue;
        for (int64_t d = 0; d < groups; d++) {
            T *to = products + d * width;
            const int64_t size = width;
            KL_FN(standardized)(x + lane * call->size + d * step,
                                moments + 2 * (lane + d * kl_lanes), to, size);
            KL_EACH(V(width)) {
                const V(vec) slope = KL_FN(take)(y + d * step + i, left);
                KL_FN(put)(to + i, V(mul)(slope, KL_FN(take)(to + i, left)), left);
            }
        }
        KL_FN(span)(KL_TERM_VALUE, first == 0, products, width, groups, NULL, width,
                    lanes->weight + lane * width);
    }
}

/* The totals of rows[begin, end), at most a block, of columns column .. column + width - 1 are left
 * in the first `width` elements of the lanes. */
static void KL_FN(affine_block)(const struct kl_affine *call, int64_t begin, int64_t end,
                                int64_t column, int64_t width, struct kl_affine_lanes *lanes) {
    const int64_t most = kl_lanes * KL_FN(affine_depth);
    for (int64_t row = begin; row < end; row += most) {
        const int64_t rows = kl_min(end - row, most), at = row * call->size + column;
        KL_FN(affine_add)(call, (const T *)call->x + at, (const T *)call->g + at,
                          call->moments + 2 * row, row - begin, rows, width, lanes);
    }
    if (lanes->weight) KL_FN(strip_meet)(KL_TERM_VALUE, end - begin, width, lanes->weight);
    if (lanes->bias) KL_FN(strip_meet)(KL_TERM_VALUE, end - begin, width, lanes->bias);
}

static void KL_FN(affine_store)(const double *totals, int64_t count, void *out, int64_t at) {
    for (int64_t c = 0; c < count; c++) ((T *)out)[at + c] = (T)totals[c];
}
