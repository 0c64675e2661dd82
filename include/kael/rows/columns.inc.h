/* Rows that lie side by side: neighbours of an element along memory belong to other rows, as in a
 * softmax over a middle dim. Vectors run across the rows, and nothing is turned:
 *
 *     element e of row c     x[c + e * step]
 *     near                   near[c + e * pitch], pitch a whole number of vectors
 *     lanes of the folds     acc[c + lane * pitch], met by fold_columns.inc.h
 *
 * What fills the last vector of near is 0, and goes through the same arithmetic unread.
 *
 * A body, included after totals.inc.h and fold_columns.inc.h.
 */

/* What a kernel works in: operands of a call's rows, and what is known of each row. */
struct KL_FN(columns) {
    int64_t size, pitch;
    T *near, *other; /* size * pitch each */
    double *acc;     /* KL_LANES * pitch */
    T largest[KL_ROW_BESIDE], totals[KL_ROW_BESIDE];
};

KL_INLINE void KL_FN(columns_begin)(struct KL_FN(columns) *s, const struct kl_rows *call,
                                    const struct kl_row_view *view, int64_t rows) {
    s->size = call->size;
    s->pitch = kl_round_up(rows, V(width));
    s->near = (T *)view->scratch;
    s->other = s->near + s->size * s->pitch;
    s->acc = (double *)(s->other + s->size * s->pitch);
}

/* to = an operand. */
KL_INLINE void KL_FN(columns_read)(const struct KL_FN(columns) *s, const struct kl_rows *call,
                                   const struct kl_row_view *view, int which, int64_t rows,
                                   T *to) {
    const int64_t size = s->size, step = call->operand[which].element;
    const T *x = (const T *)view->data[which];
    for (int64_t e = 0; e < size; e++) KL_EACH(c, left, rows, V(width)) {
        V(store)(to + e * s->pitch + c, KL_FN(take)(x + e * step + c, left));
    }
}

/* The largest of each row of near, as KL_FN(largest) finds it. */
KL_INLINE void KL_FN(columns_largest)(struct KL_FN(columns) *s) {
    const int64_t size = s->size;
    KL_EACH(c, left, s->pitch, V(width)) {
        V(vec) most = V(splat)((T)-INFINITY);
        for (int64_t e = 0; e < size; e++) most = V(max)(V(load)(s->near + e * s->pitch + c), most);
        V(store)(s->largest + c, most);
    }
}

/* near = exp(near - largest); `below`: see shifted_exp. */
KL_INLINE void KL_FN(columns_exp)(bool below, const struct KL_FN(columns) *s) {
    const int64_t size = s->size;
    KL_EACH(c, left, s->pitch, V(width)) {
        const V(vec) shift = V(load)(s->largest + c);
        for (int64_t e = 0; e < size; e++) {
            T *at = s->near + e * s->pitch + c;
            V(store)(at, KL_FN(shifted_exp)(below, V(load)(at), shift));
        }
    }
}

/* totals = the folds of near, or of near * other. */
KL_INLINE void KL_FN(columns_fold)(struct KL_FN(columns) *s, int term) {
    KL_FN(strip_add)(term, s->near, s->other, s->pitch, 0, s->size, s->pitch, NULL, s->acc);
    KL_FN(strip_meet)(term, s->size, s->pitch, s->acc);
    for (int64_t c = 0; c < s->pitch; c++) s->totals[c] = (T)s->acc[c];
}

/* near = exp(x - largest), and its folds. */
KL_INLINE void KL_FN(columns_exp_totals)(struct KL_FN(columns) *s, const struct kl_rows *call,
                                         const struct kl_row_view *view, int64_t rows) {
    KL_FN(columns_begin)(s, call, view, rows);
    KL_FN(columns_read)(s, call, view, KL_ROW_X, rows, s->near);
    KL_FN(columns_largest)(s);
    KL_FN(columns_exp)(true, s);
    KL_FN(columns_fold)(s, KL_TERM_VALUE);
}

/* out = near / total * slope of its row. */
KL_INLINE void KL_FN(columns_scaled_shares)(const struct KL_FN(columns) *s, const T *slopes,
                                            T *out, int64_t step, int64_t rows) {
    const int64_t size = s->size;
    for (int64_t e = 0; e < size; e++) KL_EACH(c, left, rows, V(width)) {
        const V(vec) share = V(div)(V(load)(s->near + e * s->pitch + c), V(load)(s->totals + c));
        KL_FN(put)(out + e * step + c, V(mul)(share, KL_FN(take)(slopes + c, left)), left);
    }
}
