/* Softmax and its kin: exponentials above the largest of a row, over their fold. */

/* out = exp(x - largest) / total. */
static int KL_FN(softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                               int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T near[KL_FN(near_room)], largest[kl_row_group], totals[kl_row_group];
        KL_FN(group_totals)(call, view, first, count, true, near, largest, totals);
        KL_EACH_ROW {
            const T *e = KL_FN(kept)(call, view, near, g, first + g);
            T *out = KL_ROW(KL_ROW_OUT);
            const V(vec) total = V(splat)(totals[g]);
            KL_EACH(V(width)) KL_FN(put)(out + i, V(div)(KL_FN(take)(e + i, left), total), left);
        }
    }
    return KL_OK;
}

/* out = (x - largest) - log(total). */
static int KL_FN(log_softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T largest[kl_row_group], logs[kl_row_group];
        KL_FN(group_logs)(call, view, first, count, largest, logs);
        KL_EACH_ROW {
            const T *x = KL_ROW(KL_ROW_X);
            T *out = KL_ROW(KL_ROW_OUT);
            const V(vec) shift = V(splat)(largest[g]), log_total = V(splat)(logs[g]);
            KL_EACH(V(width)) {
                const V(vec) shifted = V(sub)(KL_FN(take)(x + i, left), shift);
                KL_FN(put)(out + i, V(sub)(shifted, log_total), left);
            }
        }
    }
    return KL_OK;
}

/* out = x * (y - shared). */
KL_INLINE void KL_FN(softmax_slope)(const T *x, const T *y, T shared, T *out, int64_t size) {
    const V(vec) share = V(splat)(shared);
    KL_EACH(V(width)) {
        const V(vec) part = V(sub)(KL_FN(take)(y + i, left), share);
        KL_FN(put)(out + i, V(mul)(KL_FN(take)(x + i, left), part), left);
    }
}

/* x = softmax, y = its gradient: out = x * (y - fold(x * y)). */
static int KL_FN(softmax_backward_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                        int64_t row, int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T shared[kl_row_group];
        KL_EACH_ROW {
            shared[g] = (T)KL_FN(fold_of)(KL_ROW(KL_ROW_X), KL_ROW(KL_ROW_Y), size);
        }
        KL_EACH_ROW {
            KL_FN(softmax_slope)(KL_ROW(KL_ROW_X), KL_ROW(KL_ROW_Y), shared[g],
                                 KL_ROW(KL_ROW_OUT), size);
        }
    }
    return KL_OK;
}

/* x = log_softmax, y = its gradient: out = y - exp(x) * fold(y). */
static int KL_FN(log_softmax_backward_rows)(const struct kl_rows *call,
                                            const struct kl_row_view *view, int64_t row,
                                            int64_t rows) {
    const int64_t size = call->size;
    (void)row;
    KL_EACH_GROUP {
        T totals[kl_row_group];
        KL_EACH_ROW {
            totals[g] = (T)KL_FN(fold_of)(KL_ROW(KL_ROW_Y), NULL, size);
        }
        KL_EACH_ROW {
            const T *x = KL_ROW(KL_ROW_X), *y = KL_ROW(KL_ROW_Y);
            T *out = KL_ROW(KL_ROW_OUT);
            const V(vec) total = V(splat)(totals[g]);
            KL_EACH(V(width)) {
                const V(vec) share = V(mul)(KL_FN(exp)(KL_FN(take)(x + i, left)), total);
                KL_FN(put)(out + i, V(sub)(KL_FN(take)(y + i, left), share), left);
            }
        }
    }
    return KL_OK;
}

/* log(total) + shift, where shift is the largest, or 0 where that is no number to subtract: the
 * result is then the infinity itself, or NaN. */
static int KL_FN(logsumexp_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                 int64_t row, int64_t rows) {
    (void)row;
    KL_EACH_GROUP {
        T near[KL_FN(near_room)], shift[kl_row_group], logs[kl_row_group];
        KL_EACH_ROW {
            const T largest = KL_FN(largest)(KL_ROW(KL_ROW_X), call->size);
            shift[g] = largest - largest == 0 ? largest : 0;
        }
        KL_FN(group_sums)(call, view, first, count, false, near, shift, logs);
        KL_FN(each_log)(logs, count);
        KL_EACH_ROW *KL_ROW(KL_ROW_OUT) = logs[g] + shift[g];
    }
    return KL_OK;
}

/* out = softmax(x) * slope[0]. */
static int KL_FN(logsumexp_backward_rows)(const struct kl_rows *call,
                                          const struct kl_row_view *view, int64_t row,
                                          int64_t rows) {
    (void)row;
    KL_EACH_GROUP {
        T near[KL_FN(near_room)], largest[kl_row_group], totals[kl_row_group];
        KL_FN(group_totals)(call, view, first, count, true, near, largest, totals);
        KL_EACH_ROW {
            const T *e = KL_FN(kept)(call, view, near, g, first + g);
            KL_FN(scaled_share)(e, totals[g], *KL_ROW(KL_ROW_SLOPE), KL_ROW(KL_ROW_OUT),
                                call->size);
        }
    }
    return KL_OK;
}

/* Softmax of the first elements of each row, by its place in a triangle; zeros after them. What
 * lies beyond is not read. A row of which no element counts is all zeros. */
static int KL_FN(causal_softmax_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                      int64_t row, int64_t rows) {
    KL_EACH_GROUP KL_EACH_ROW {
        const int64_t size = kl_row_length(call, row + first + g);
        const T *x = KL_ROW(KL_ROW_X);
        T *out = KL_ROW(KL_ROW_OUT);
        memset(out + size, 0, (size_t)(call->size - size) * sizeof(T));
        if (size == 0) continue;
        const T largest = KL_FN(largest)(x, size);
        const V(vec) total = V(splat)((T)KL_FN(exp_total)(x, largest, out, size));
        KL_EACH(V(width)) KL_FN(put)(out + i, V(div)(KL_FN(take)(out + i, left), total), left);
    }
    return KL_OK;
}

/* The gradient of softmax, of the elements that count; zeros after them. */
static int KL_FN(causal_softmax_backward_rows)(const struct kl_rows *call,
                                               const struct kl_row_view *view, int64_t row,
                                               int64_t rows) {
    KL_EACH_GROUP KL_EACH_ROW {
        const int64_t size = kl_row_length(call, row + first + g);
        const T *x = KL_ROW(KL_ROW_X), *y = KL_ROW(KL_ROW_Y);
        T *out = KL_ROW(KL_ROW_OUT);
        memset(out + size, 0, (size_t)(call->size - size) * sizeof(T));
        KL_FN(softmax_slope)(x, y, (T)KL_FN(fold_of)(x, y, size), out, size);
    }
    return KL_OK;
}
