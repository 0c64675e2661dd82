/* The gradients of a weight and a bias that standardized rows were multiplied by and added to: sums
 * down the columns of g * s and of g, where s is the standardized row, made again from x.
 *
 *     strip of columns   |<- width ->|
 *     rows l, l + 32, ..             products of eight rows of a lane in L1, then their span
 */

enum { KL_FN(affine_depth) = 8 };

/* to = y * (x - center) * scale: rounded after the scale, and after the multiplication by y. The
 * rows of the next lane, `row` elements on, are asked for meanwhile: rows a lane apart are no
 * stream that the machine would foresee (-12% of the time at 1000 x 1000). */
KL_INLINE void KL_FN(affine_product)(const T *x, const double *moments, const T *y, T *to,
                                     int64_t size, int64_t row) {
    enum { parts = V(width) / VD(width) };
    const VD(vec) center = VD(splat)(moments[0]), scale = VD(splat)(moments[1]);
    KL_EACH(i, left, size, V(width)) {
        VD(vec) part[parts];
        __builtin_prefetch(x + i + row);
        __builtin_prefetch(y + i + row);
        KL_UNROLL
        for (int p = 0; p < parts; p++) {
            const int64_t k = p * VD(width);
            part[p] = VD(sub)(KL_FN(take_wide)(x + i + k, kl_max(0, left - k)), center);
            part[p] = VD(mul)(part[p], scale);
        }
        KL_FN(put)(to + i, V(mul)(KL_FN(take)(y + i, left), V(narrow)(part)), left);
    }
}

/* The lanes of a strip meet rows first .. first + rows - 1 of a block; first is a multiple of
 * KL_LANES * affine_depth. x, g: the strip's first row of these; either lanes may be NULL. */
KL_INLINE void KL_FN(affine_add)(const struct kl_affine *call, const T *x, const T *g,
                                 const double *moments, int64_t first, int64_t rows, int64_t width,
                                 struct kl_affine_lanes *lanes) {
    T products[KL_FN(affine_depth) * KL_AFFINE_STRIP];
    const int64_t step = KL_LANES * call->size;
    for (int64_t lane = 0; lane < kl_min(rows, KL_LANES); lane++) {
        const int64_t groups = (rows - lane + KL_LANES - 1) / KL_LANES;
        const T *y = g + lane * call->size;
        if (lanes->bias) {
            KL_FN(span)(KL_TERM_VALUE, first == 0, y, NULL, step, groups, NULL, width,
                        lanes->bias + lane * width);
        }
        if (!lanes->weight) continue;
        for (int64_t d = 0; d < groups; d++) {
            KL_FN(affine_product)(x + lane * call->size + d * step,
                                  moments + 2 * (lane + d * KL_LANES), y + d * step,
                                  products + d * width, width, call->size);
        }
        KL_FN(span)(KL_TERM_VALUE, first == 0, products, NULL, width, groups, NULL, width,
                    lanes->weight + lane * width);
    }
}

/* The totals of rows[begin, end), at most a block, of columns column .. column + width - 1 are left
 * in the first `width` elements of the lanes. */
static void KL_FN(affine_block)(const struct kl_affine *call, int64_t begin, int64_t end,
                                int64_t column, int64_t width, struct kl_affine_lanes *lanes) {
    const int64_t most = KL_LANES * KL_FN(affine_depth);
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
