/* Rows divided by their deviation: layer norm, and, around zero instead of the mean, RMS norm. */

/* The centers of a group's rows (0 unless `centred`), and 1 / sqrt(mean square around them + eps):
 * moments[g] = {center, scale}. */
KL_INLINE void KL_FN(group_moments)(bool centred, const struct kl_rows *call,
                                    const struct kl_row_view *view, int64_t first, int64_t count,
                                    double (*moments)[2]) {
    const int64_t size = call->size;
    KL_EACH_ROW {
        moments[g][0] =
            centred ? KL_FN(fold)(KL_TERM_VALUE, KL_ROW(KL_ROW_X), NULL, 0, size) / (double)size
                    : 0;
    }
    KL_EACH_ROW {
        const double squares =
            KL_FN(fold)(KL_TERM_DEVIATION, KL_ROW(KL_ROW_X), NULL, moments[g][0], size);
        moments[g][1] = 1 / sqrt(squares / (double)size + call->eps);
    }
}

/* out[i] = out[i] * weight[i] + bias[i], rounded twice; either may be NULL. */
KL_INLINE void KL_FN(affine)(const struct kl_rows *call, T *out) {
    const T *weight = (const T *)call->weight, *bias = (const T *)call->bias;
    const int64_t size = call->size;
    KL_EACH(V(width)) {
        V(vec) scaled = KL_FN(take)(out + i, left);
        if (weight) scaled = V(mul)(scaled, KL_FN(take)(weight + i, left));
        if (bias) scaled = V(add)(scaled, KL_FN(take)(bias + i, left));
        KL_FN(put)(out + i, scaled, left);
    }
}

/* out[i] = (x[i] - center) * scale in double, rounded once. */
KL_INLINE void KL_FN(standardized)(const T *x, const double *moments, T *out, int64_t size) {
    const VD(vec) center = VD(splat)(moments[0]), scale = VD(splat)(moments[1]);
    KL_EACH(VD(width)) {
        const VD(vec) centred = VD(sub)(KL_FN(take_wide)(x + i, left), center);
        KL_FN(put_narrow)(out + i, VD(mul)(centred, scale), left);
    }
}

/* Standardized rows; then, where given, * weight, + bias. */
KL_INLINE int KL_FN(norm_rows)(bool centred, const struct kl_rows *call,
                               const struct kl_row_view *view, int64_t row, int64_t rows) {
    KL_EACH_GROUP {
        double moments[kl_row_group][2];
        KL_FN(group_moments)(centred, call, view, first, count, moments);
        if (call->moments) {
            memcpy(call->moments + 2 * (row + first), moments, (size_t)count * sizeof moments[0]);
        }
        KL_EACH_ROW {
            KL_FN(standardized)(KL_ROW(KL_ROW_X), moments[g], KL_ROW(KL_ROW_OUT), call->size);
            if (call->weight || call->bias) KL_FN(affine)(call, KL_ROW(KL_ROW_OUT));
        }
    }
    return KL_OK;
}

static int KL_FN(standardize_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                   int64_t row, int64_t rows) {
    return KL_FN(norm_rows)(true, call, view, row, rows);
}

static int KL_FN(rms_rows)(const struct kl_rows *call, const struct kl_row_view *view, int64_t row,
                           int64_t rows) {
    return KL_FN(norm_rows)(false, call, view, row, rows);
}

/* x, y = the gradient of the result of norm_rows, with that call's moments and weight. With
 * s = the standardized row and z = y * weight rounded (which waits in out):
 * out = scale * (z - mean(z) - s * mean(s * z)), in double, rounded once; no mean(z) unless
 * centred. */
KL_INLINE int KL_FN(norm_backward_rows)(bool centred, const struct kl_rows *call,
                                        const struct kl_row_view *view, int64_t row,
                                        int64_t rows) {
    const int64_t size = call->size;
    const T *weight = (const T *)call->weight;
    KL_EACH_GROUP KL_EACH_ROW {
        const T *x = KL_ROW(KL_ROW_X), *y = KL_ROW(KL_ROW_Y), *z = y;
        T *out = KL_ROW(KL_ROW_OUT);
        if (weight) {
            z = out;
            KL_EACH(V(width)) {
                const V(vec) slope = KL_FN(take)(y + i, left);
                KL_FN(put)(out + i, V(mul)(slope, KL_FN(take)(weight + i, left)), left);
            }
        }
        const double *moments = call->moments + 2 * (row + first + g);
        const double n = (double)size, factor = moments[1];
        const double mean = centred ? KL_FN(fold)(KL_TERM_VALUE, z, NULL, 0, size) / n : 0;
        const double moment = KL_FN(fold)(KL_TERM_MOMENT, x, z, moments[0], size) / n;
        const VD(vec) center = VD(splat)(moments[0]), scale = VD(splat)(factor);
        const VD(vec) lift = VD(splat)(mean), slope = VD(splat)(moment * factor * factor);
        KL_EACH(VD(width)) {
            const VD(vec) shifted = VD(sub)(KL_FN(take_wide)(x + i, left), center);
            const VD(vec) level = VD(sub)(KL_FN(take_wide)(z + i, left), lift);
            const VD(vec) rest = VD(sub)(level, VD(mul)(shifted, slope));
            KL_FN(put_narrow)(out + i, VD(mul)(scale, rest), left);
        }
    }
    return KL_OK;
}

static int KL_FN(standardize_backward_rows)(const struct kl_rows *call,
                                            const struct kl_row_view *view, int64_t row,
                                            int64_t rows) {
    return KL_FN(norm_backward_rows)(true, call, view, row, rows);
}

static int KL_FN(rms_backward_rows)(const struct kl_rows *call, const struct kl_row_view *view,
                                    int64_t row, int64_t rows) {
    return KL_FN(norm_backward_rows)(false, call, view, row, rows);
}
