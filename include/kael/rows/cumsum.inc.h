/* Running sums: element i of the result has the bits of the sum of elements 0 .. i (numerics R3).
 *
 * The fold of a prefix differs from that of the prefix one shorter only along one path of the tree
 * in which the lanes meet. With h = 16, 8, 4, 2, 1, and nothing before element 0 of a block:
 *
 *     level 0   a0[i] = a0[i - 32] + x[i]            the lane of element i
 *     level k   ak[i] = a(k-1)[i] + a(k-1)[i - h]    i - h met the other half last
 *     level 5   the prefix of the block, which then meets the blocks before it from the right
 *
 * so that six additions an element, all across vectors, give what i would for the fold itself.
 */

enum { KL_FN(scan_piece) = 8 * KL_LANES, KL_FN(scan_room) = KL_FN(scan_piece) + KL_LANES };

/* A piece of a block: x[size] to the prefixes in the last level, behind KL_LANES elements of what
 * went before on every level. */
KL_INLINE void KL_FN(scan)(const T *x, int64_t size,
                           double (*level)[KL_FN(scan_room)]) {
    double *lanes = level[0];
    for (int64_t i = 0, left = size; left > 0; i += VD(width), left -= VD(width)) {
        const VD(vec) met = VD(add)(VD(load)(lanes + i), KL_FN(take_wide)(x + i, left));
        VD(store)(lanes + KL_LANES + i, met);
    }
    for (int k = 1; k <= KL_LANE_LEVELS; k++) {
        const double *from = level[k - 1] + KL_LANES;
        const int half = KL_LANES >> k;
        for (int64_t i = 0; i < size; i += VD(width)) {
            const VD(vec) met = VD(add)(VD(load)(from + i), VD(load)(from + i - half));
            VD(store)(level[k] + KL_LANES + i, met);
        }
    }
}

/* out = the prefixes met by the blocks in the tree, from the right. */
KL_INLINE void KL_FN(scan_store)(const struct kl_tree *tree, const double *prefix, T *out,
                                 int64_t size) {
    KL_EACH(i, left, size, VD(width)) {
        VD(vec) total = VD(load)(prefix + i);
        for (int d = tree->depth - 1; d >= 0; d--) {
            total = VD(add)(VD(splat)(tree->partial[d]), total);
        }
        KL_FN(put_narrow)(out + i, total, left);
    }
}

/* A word or function of the set with narrower vectors, which turns rows that fill them in less
 * time: (32000, 8) f32 take 109 us so, 141 by vectors of 64 bytes. Parts of vectors cost more. */
#define KL_NARROW(kind, name) KL_CAT4(kind, name, KL_TYPE, KL_CAT2(KL_NARROWER_, KL_ISA))

/* Long rows, one after the other. */
static void KL_FN(scan_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                             int64_t rows) {
    double level[KL_LANE_LEVELS + 1][KL_FN(scan_room)];
    for (int64_t r = 0; r < rows; r++) {
        const T *x = KL_FN(row)(view, KL_ROW_X, r);
        T *out = KL_FN(row)(view, KL_ROW_OUT, r);
        struct kl_tree tree;
        tree.blocks = tree.depth = 0;
        for (int64_t i = 0; i < call->size; i += KL_FN(scan_piece)) {
            const int64_t size = kl_min(call->size - i, KL_FN(scan_piece));
            for (int k = 0; k <= KL_LANE_LEVELS; k++) {
                double *past = level[k];
                const size_t bytes = KL_LANES * sizeof *past;
                if (i % KL_REDUCTION_BLOCK == 0) {
                    if (k == KL_LANE_LEVELS && i > 0) {
                        kl_tree_push(&tree, KL_TERM_VALUE, past[KL_FN(scan_room) - 1]);
                    }
                    memset(past, 0, bytes);
                } else {
                    memcpy(past, past + KL_FN(scan_piece), bytes);
                }
            }
            KL_FN(scan)(x + i, size, level);
            KL_FN(scan_store)(&tree, level[KL_LANE_LEVELS] + KL_LANES, out + i, size);
        }
    }
}

static int KL_FN(cumsum_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                              int64_t row, int64_t rows) {
    const T *x = (const T *)view->data[KL_ROW_X];
    T *out = (T *)view->data[KL_ROW_OUT];
    const int64_t x_stride = view->stride[KL_ROW_X], out_stride = view->stride[KL_ROW_OUT];
    (void)row;
    if (call->size > KL_SCAN_SHORT) {
        KL_FN(scan_rows)(call, view, rows);
    } else if (sizeof(T) < sizeof(double) && call->size % KL_NARROW(v, width) == 0) {
        KL_NARROW(kl, scan_short)(x, x_stride, out, out_stride, rows, call->size);
    } else {
        KL_FN(scan_short)(x, x_stride, out, out_stride, rows, call->size);
    }
    return KL_OK;
}

#undef KL_NARROW

static int KL_FN(cumsum_columns)(const struct kl_rows *call, const struct kl_row_view *view,
                                 int64_t row, int64_t rows) {
    const int64_t x_step = call->operand[KL_ROW_X].element;
    const int64_t out_step = call->operand[KL_ROW_OUT].element;
    (void)row;
    KL_EACH(c, left, rows, VD(width)) {
        KL_FN(scan_beside)((const T *)view->data[KL_ROW_X] + c, x_step,
                           (T *)view->data[KL_ROW_OUT] + c, out_step, call->size, left);
    }
    return KL_OK;
}
