/* Softmax and its kin: exponentials above the largest of a row, over their fold. */

/* out = e / total. */
KL_INLINE void KL_FN(share)(bool far, const T *e, T total, T *out, int64_t size) {
    const V(vec) divisor = V(splat)(total);
    KL_EACH_OUT(far, i, left, out, size) {
        KL_FN(put_out)(far, out + i, V(div)(KL_FN(take)(e + i, left), divisor), left);
    }
}

/* out = exp(x - largest) / total. */
static int KL_FN(softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                               int64_t row, int64_t rows) {
    (void)row;
    KL_EACH_GROUP(first, count, call->size, rows) {
        T near[KL_FN(near_room)], largest[KL_ROW_GROUP], totals[KL_ROW_GROUP];
        KL_FN(group_totals)(call, view, first, count, true, near, largest, totals);
        for (int64_t g = 0; g < count; g++) {
            const T *e = KL_FN(kept)(call, view, near, g, first + g);
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            KL_MAKE_ROW(call, KL_FN(share), e, totals[g], out, call->size);
        }
    }
    return KL_OK;
}

/* out = (x - largest) - log_total. */
KL_INLINE void KL_FN(log_share)(bool far, const T *x, T largest, T log_total, T *out,
                                int64_t size) {
    const V(vec) shift = V(splat)(largest), log = V(splat)(log_total);
    KL_EACH_OUT(far, i, left, out, size) {
        const V(vec) shifted = V(sub)(KL_FN(take)(x + i, left), shift);
        KL_FN(put_out)(far, out + i, V(sub)(shifted, log), left);
    }
}

/* out = (x - largest) - log(total). */
static int KL_FN(log_softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t row, int64_t rows) {
    (void)row;
    KL_EACH_GROUP(first, count, call->size, rows) {
        T largest[KL_ROW_GROUP], logs[KL_ROW_GROUP];
        KL_FN(group_logs)(call, view, first, count, largest, logs);
        for (int64_t g = 0; g < count; g++) {
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            KL_MAKE_ROW(call, KL_FN(log_share), x, largest[g], logs[g], out, call->size);
        }
    }
    return KL_OK;
}

/* out = x * (y - shared). */
KL_INLINE void KL_FN(softmax_slope)(bool far, const T *x, const T *y, T shared, T *out,
                                    int64_t size) {
    const V(vec) share = V(splat)(shared);
    KL_EACH_OUT(far, i, left, out, size) {
        const V(vec) part = V(sub)(KL_FN(take)(y + i, left), share);
        KL_FN(put_out)(far, out + i, V(mul)(KL_FN(take)(x + i, left), part), left);
    }
}

/* x = softmax, y = its gradient: out = x * (y - fold(x * y)). */
static int KL_FN(softmax_backward_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                        int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP(first, count, call->size, rows) {
        T shared[KL_ROW_GROUP];
        for (int64_t g = 0; g < count; g++) {
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            shared[g] = (T)KL_FN(fold_of)(x, KL_FN(row)(view, KL_ROW_Y, first + g), size);
        }
        for (int64_t g = 0; g < count; g++) {
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            const T *y = KL_FN(row)(view, KL_ROW_Y, first + g);
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            KL_MAKE_ROW(call, KL_FN(softmax_slope), x, y, shared[g], out, size);
        }
    }
    return KL_OK;
}

/* out = y - exp(x) * sum. */
KL_INLINE void KL_FN(log_softmax_slope)(bool far, const T *x, const T *y, T sum, T *out,
                                        int64_t size) {
    const V(vec) total = V(splat)(sum);
    KL_EACH_OUT(far, i, left, out, size) {
        KL_FN(ask)(x + i, V(width), far ? KL_ROW_AHEAD : 0);
        const V(vec) share = V(mul)(KL_FN(exp)(KL_FN(take)(x + i, left)), total);
        KL_FN(put_out)(far, out + i, V(sub)(KL_FN(take)(y + i, left), share), left);
    }
}

/* x = log_softmax, y = its gradient: out = y - exp(x) * fold(y). */
static int KL_FN(log_softmax_backward_rows)(const struct kl_rows *call,
                                            const struct kl_row_view *view, int64_t row,
                                            int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP(first, count, call->size, rows) {
        T totals[KL_ROW_GROUP];
        for (int64_t g = 0; g < count; g++) {
            totals[g] = (T)KL_FN(fold_of)(KL_FN(row)(view, KL_ROW_Y, first + g), NULL, size);
        }
        for (int64_t g = 0; g < count; g++) {
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            const T *y = KL_FN(row)(view, KL_ROW_Y, first + g);
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            KL_MAKE_ROW(call, KL_FN(log_softmax_slope), x, y, totals[g], out, size);
        }
    }
    return KL_OK;
}

/* log(total) + shift, where shift is the largest, or 0 where that is no number to subtract: the
 * result is then the infinity itself, or NaN. */
static int KL_FN(logsumexp_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                 int64_t row, int64_t rows) {
    (void)row;
    KL_EACH_GROUP(first, count, call->size, rows) {
        T near[KL_FN(near_room)], shift[KL_ROW_GROUP], logs[KL_ROW_GROUP];
        for (int64_t g = 0; g < count; g++) {
            const T largest = KL_FN(largest)(KL_FN(row)(view, KL_ROW_X, first + g), call->size);
            shift[g] = largest - largest == 0 ? largest : 0;
        }
        KL_FN(group_sums)(call, view, first, count, false, false, near, shift, logs);
        KL_FN(each_log)(logs, count);
        for (int64_t g = 0; g < count; g++) {
            *KL_FN(row)(view, KL_ROW_OUT, first + g) = logs[g] + shift[g];
        }
    }
    return KL_OK;
}

/* out = softmax(x) * slope[0]. */
static int KL_FN(logsumexp_backward_rows)(const struct kl_rows *call,
                                          const struct kl_row_view *view, int64_t row,
                                          int64_t rows) {
    (void)row;
    KL_EACH_GROUP(first, count, call->size, rows) {
        T near[KL_FN(near_room)], largest[KL_ROW_GROUP], totals[KL_ROW_GROUP];
        KL_FN(group_totals)(call, view, first, count, true, near, largest, totals);
        for (int64_t g = 0; g < count; g++) {
            const T *e = KL_FN(kept)(call, view, near, g, first + g);
            const T slope = *KL_FN(row)(view, KL_ROW_SLOPE, first + g);
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            KL_MAKE_ROW(call, KL_FN(scaled_share), e, totals[g], slope, out, call->size);
        }
    }
    return KL_OK;
}

/* Softmax of the first elements of each row, by its place in a triangle; zeros after them. What
 * lies beyond is not read. A row of which no element counts is all zeros. */
static int KL_FN(causal_softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                      int64_t row, int64_t rows) {
    for (int64_t r = 0; r < rows; r++) {
        const int64_t size = kl_row_length(call, row + r);
        const T *x = KL_FN(row)(view, KL_ROW_X, r);
        T *out = KL_FN(row)(view, KL_ROW_OUT, r);
        memset(out + size, 0, (size_t)(call->size - size) * sizeof(T));
        if (size == 0) continue;
        const T largest = KL_FN(largest)(x, size);
        const V(vec) total = V(splat)((T)KL_FN(exp_total)(true, x, largest, out, size));
        KL_EACH(i, left, size, V(width)) {
            KL_FN(put)(out + i, V(div)(KL_FN(take)(out + i, left), total), left);
        }
    }
    return KL_OK;
}

/* The gradient of softmax, of the elements that count; zeros after them. */
static int KL_FN(causal_softmax_backward_rows)(const struct kl_rows *call,
                                               const struct kl_row_view *view, int64_t row,
                                               int64_t rows) {
    for (int64_t r = 0; r < rows; r++) {
        const int64_t size = kl_row_length(call, row + r);
        const T *x = KL_FN(row)(view, KL_ROW_X, r), *y = KL_FN(row)(view, KL_ROW_Y, r);
        T *out = KL_FN(row)(view, KL_ROW_OUT, r);
        memset(out + size, 0, (size_t)(call->size - size) * sizeof(T));
        const T shared = (T)KL_FN(fold_of)(x, y, size);
        KL_MAKE_ROW(call, KL_FN(softmax_slope), x, y, shared, out, size);
    }
    return KL_OK;
}
