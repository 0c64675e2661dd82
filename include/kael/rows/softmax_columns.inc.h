/* The kernels of softmax.inc.h for rows side by side: the same arithmetic, element by element. */

static int KL_FN(softmax_columns)(const struct kl_rows *call, const struct kl_row_view *view,
                                  int64_t row, int64_t rows) {
    const int64_t size = call->size, step = call->operand[KL_ROW_OUT].element;
    struct KL_FN(columns) s;
    T *out = (T *)view->data[KL_ROW_OUT];
    (void)row;
    KL_FN(columns_exp_totals)(&s, call, view, rows);
    for (int64_t e = 0; e < size; e++) KL_EACH(c, left, rows, V(width)) {
        const V(vec) share = V(div)(V(load)(s.near + e * s.pitch + c), V(load)(s.totals + c));
        KL_FN(put)(out + e * step + c, share, left);
    }
    return KL_OK;
}

static int KL_FN(log_softmax_columns)(const struct kl_rows *call, const struct kl_row_view *view,
                                      int64_t row, int64_t rows) {
    const int64_t size = call->size, step = call->operand[KL_ROW_OUT].element;
    const int64_t x_step = call->operand[KL_ROW_X].element;
    struct KL_FN(columns) s;
    const T *x = (const T *)view->data[KL_ROW_X];
    T *out = (T *)view->data[KL_ROW_OUT];
    (void)row;
    KL_FN(columns_exp_totals)(&s, call, view, rows);
    KL_FN(each_log)(s.totals, s.pitch);
    for (int64_t e = 0; e < size; e++) KL_EACH(c, left, rows, V(width)) {
        const V(vec) shifted =
            V(sub)(KL_FN(take)(x + e * x_step + c, left), V(load)(s.largest + c));
        KL_FN(put)(out + e * step + c, V(sub)(shifted, V(load)(s.totals + c)), left);
    }
    return KL_OK;
}

static int KL_FN(softmax_backward_columns)(const struct kl_rows *call,
                                           const struct kl_row_view *view, int64_t row,
                                           int64_t rows) {
    const int64_t size = call->size, step = call->operand[KL_ROW_OUT].element;
    struct KL_FN(columns) s;
    T *out = (T *)view->data[KL_ROW_OUT];
    (void)row;
    KL_FN(columns_begin)(&s, call, view, rows);
    KL_FN(columns_read)(&s, call, view, KL_ROW_X, rows, s.near);
    KL_FN(columns_read)(&s, call, view, KL_ROW_Y, rows, s.other);
    KL_FN(columns_fold)(&s, KL_TERM_PRODUCT);
    for (int64_t e = 0; e < size; e++) KL_EACH(c, left, rows, V(width)) {
        const int64_t at = e * s.pitch + c;
        const V(vec) part = V(sub)(V(load)(s.other + at), V(load)(s.totals + c));
        KL_FN(put)(out + e * step + c, V(mul)(V(load)(s.near + at), part), left);
    }
    return KL_OK;
}

static int KL_FN(log_softmax_backward_columns)(const struct kl_rows *call,
                                               const struct kl_row_view *view, int64_t row,
                                               int64_t rows) {
    const int64_t size = call->size, step = call->operand[KL_ROW_OUT].element;
    const int64_t x_step = call->operand[KL_ROW_X].element;
    struct KL_FN(columns) s;
    const T *x = (const T *)view->data[KL_ROW_X];
    T *out = (T *)view->data[KL_ROW_OUT];
    (void)row;
    KL_FN(columns_begin)(&s, call, view, rows);
    KL_FN(columns_read)(&s, call, view, KL_ROW_Y, rows, s.near);
    KL_FN(columns_fold)(&s, KL_TERM_VALUE);
    for (int64_t e = 0; e < size; e++) KL_EACH(c, left, rows, V(width)) {
        const V(vec) y = V(load)(s.near + e * s.pitch + c);
        const V(vec) share =
            V(mul)(KL_FN(exp)(KL_FN(take)(x + e * x_step + c, left)), V(load)(s.totals + c));
        KL_FN(put)(out + e * step + c, V(sub)(y, share), left);
    }
    return KL_OK;
}

static int KL_FN(logsumexp_columns)(const struct kl_rows *call, const struct kl_row_view *view,
                                    int64_t row, int64_t rows) {
    struct KL_FN(columns) s;
    T *out = (T *)view->data[KL_ROW_OUT];
    (void)row;
    KL_FN(columns_begin)(&s, call, view, rows);
    KL_FN(columns_read)(&s, call, view, KL_ROW_X, rows, s.near);
    KL_FN(columns_largest)(&s);
    for (int64_t c = 0; c < s.pitch; c++) {
        if (s.largest[c] - s.largest[c] != 0) s.largest[c] = 0;
    }
    KL_FN(columns_exp)(false, &s);
    KL_FN(columns_fold)(&s, KL_TERM_VALUE);
    KL_FN(each_log)(s.totals, s.pitch);
    for (int64_t c = 0; c < rows; c++) {
        out[c * view->stride[KL_ROW_OUT]] = s.totals[c] + s.largest[c];
    }
    return KL_OK;
}

static int KL_FN(logsumexp_backward_columns)(const struct kl_rows *call,
                                             const struct kl_row_view *view, int64_t row,
                                             int64_t rows) {
    struct KL_FN(columns) s;
    T slopes[KL_ROW_BESIDE];
    (void)row;
    for (int64_t c = 0; c < rows; c++) slopes[c] = *KL_FN(row)(view, KL_ROW_SLOPE, c);
    KL_FN(columns_exp_totals)(&s, call, view, rows);
    KL_FN(columns_scaled_shares)(&s, slopes, (T *)view->data[KL_ROW_OUT],
                                 call->operand[KL_ROW_OUT].element, rows);
    return KL_OK;
}
