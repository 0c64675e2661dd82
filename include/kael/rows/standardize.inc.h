/* Rows divided by their deviation: layer norm, and, around zero instead of the mean, RMS norm. */

/* The centers of a group's rows (0 unless `centred`), and 1 / sqrt(mean square around them + eps):
 * moments[g] = {center, scale}. */
KL_INLINE void KL_FN(group_moments)(bool centred, const struct kl_rows *call,
                                    const struct kl_row_view *view, int64_t first, int64_t count,
                                    double (*moments)[2]) {
    const int64_t size = call->size;
    for (int64_t g = 0; g < count; g++) {
        const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
        moments[g][0] = centred ? KL_FN(fold)(KL_TERM_VALUE, x, NULL, 0, size) / (double)size : 0;
    }
    for (int64_t g = 0; g < count; g++) {
        const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
        const double squares = KL_FN(fold)(KL_TERM_DEVIATION, x, NULL, moments[g][0], size);
        moments[g][1] = 1 / sqrt(squares / (double)size + call->eps);
    }
}

/* The doubles of part p of a vector at x, of which `left` elements exist. */
KL_INLINE VD(vec) KL_FN(take_wide_part)(const T *x, int p, int64_t left) {
    const int64_t before = p * (int64_t)VD(width);
    if (KL_LIKELY(left >= V(width))) return KL_FN(wide)(x + before);
    return KL_FN(take_wide)(x + before, kl_max(0, left - before));
}

/* out = x * weight + bias, rounded twice; either may be NULL. */
KL_INLINE void KL_FN(put_affine)(bool far, const struct kl_rows *call, bool weighted, bool biased,
                                 V(vec) x, T *out, int64_t i, int64_t left) {
    const T *weight = (const T *)call->weight, *bias = (const T *)call->bias;
    if (weighted) x = V(mul)(x, KL_FN(take)(weight + i, left));
    if (biased) x = V(add)(x, KL_FN(take)(bias + i, left));
    KL_FN(put_out)(far, out + i, x, left);
}

/* out[i] = (x[i] - center) * scale in double, rounded once; then * weight, + bias. */
KL_INLINE void KL_FN(standardized)(bool far, const struct kl_rows *call, const T *x,
                                   const double *moments, T *out) {
    enum { parts = V(width) / VD(width) };
    const VD(vec) center = VD(splat)(moments[0]), scale = VD(splat)(moments[1]);
    KL_EACH_OUT(far, i, left, out, call->size) {
        VD(vec) part[parts];
        KL_UNROLL
        for (int p = 0; p < parts; p++) {
            part[p] = VD(mul)(VD(sub)(KL_FN(take_wide_part)(x + i, p, left), center), scale);
        }
        KL_FN(put_affine)(far, call, call->weight, call->bias, V(narrow)(part), out, i, left);
    }
}

/* The fold of x[size], which is left in wide[] as doubles; or, where `centred`, that of the squares
 * of wide - center, which are left in wide[] before squaring. Behind them come zeros, up to
 * KL_LANES. size is at most a block. */
KL_INLINE double KL_FN(wide_fold)(bool centred, const T *x, double center, double *wide,
                                  int64_t size) {
    enum { width = VD(width), vectors = KL_LANES / width };
    const VD(vec) middle = VD(splat)(center), zero = VD(splat)(0);
    KL_FN(lanes) a = KL_FN(lanes_start)(KL_TERM_VALUE);
    int64_t i = 0;
    for (; i + KL_LANES <= size; i += KL_LANES) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const int64_t k = i + v * width;
            const VD(vec) next =
                centred ? VD(sub)(VD(load)(wide + k), middle) : KL_FN(wide)(x + k);
            VD(store)(wide + k, next);
            a.lane[v] = VD(add)(a.lane[v], centred ? VD(mul)(next, next) : next);
        }
    }
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        const int64_t k = i + v * width, left = kl_max(0, kl_min(size - k, width));
        VD(vec) next = zero;
        if (left > 0) {
            const VD(mask) real = VD(lt)(VD(iota)(), VD(splat)((double)left));
            next = centred ? VD(select)(real, VD(sub)(VD(load)(wide + k), middle), zero)
                           : KL_FN(wide_part)(x + k, left);
        }
        VD(store)(wide + k, next);
        a.lane[v] = VD(add)(a.lane[v], centred ? VD(mul)(next, next) : next);
    }
    return KL_FN(lanes_meet)(&a, KL_TERM_VALUE);
}

/* out = wide * factor, rounded; then, where given, * weight, + bias. */
KL_INLINE void KL_FN(wide_affine)(const struct kl_rows *call, const double *wide, double factor,
                                  bool weighted, bool biased, T *out) {
    enum { parts = V(width) / VD(width) };
    const VD(vec) scale = VD(splat)(factor);
    KL_EACH(i, left, call->size, V(width)) {
        VD(vec) part[parts];
        KL_UNROLL
        for (int p = 0; p < parts; p++) {
            part[p] = VD(mul)(VD(load)(wide + i + p * VD(width)), scale);
        }
        KL_FN(put_affine)(false, call, weighted, biased, V(narrow)(part), out, i, left);
    }
}

/* Rows of f32 are converted once where they fit in half of L1, longer ones in each pass: passes
 * wait for conversions, of which a cycle ends four. */
enum { KL_FN(wide_room) = 2112 };

KL_INLINE bool KL_FN(fits_wide)(int64_t size) {
    return sizeof(T) < sizeof(double) && size + KL_LANES <= KL_FN(wide_room);
}

/* Standardized rows that fit, widened, then * weight, + bias; as many together as there is room
 * for, because the end of a fold and the roots wait for one value. */
KL_INLINE int KL_FN(wide_norm_rows)(bool centred, const struct kl_rows *call,
                                    const struct kl_row_view *view, int64_t row, int64_t rows) {
    double wide[KL_FN(wide_room)], moments[KL_ROW_GROUP][2];
    const double n = (double)call->size;
    const int64_t step = call->size / KL_LANES * KL_LANES + KL_LANES;
    const int64_t most = kl_min(KL_ROW_GROUP, KL_FN(wide_room) / step);
    for (int64_t first = 0; first < rows; first += most) {
        const int64_t count = kl_min(most, rows - first);
        for (int64_t g = 0; g < count; g++) {
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            const double total = KL_FN(wide_fold)(false, x, 0, wide + g * step, call->size);
            moments[g][0] = centred ? total / n : 0;
        }
        for (int64_t g = 0; g < count; g++) {
            const double squares =
                KL_FN(wide_fold)(true, NULL, moments[g][0], wide + g * step, call->size);
            moments[g][1] = 1 / sqrt(squares / n + call->eps);
        }
        if (call->moments) {
            memcpy(call->moments + 2 * (row + first), moments, (size_t)count * sizeof moments[0]);
        }
        for (int64_t g = 0; g < count; g++) {
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            if (call->weight && call->bias) {
                KL_FN(wide_affine)(call, wide + g * step, moments[g][1], true, true, out);
            } else {
                KL_FN(wide_affine)(call, wide + g * step, moments[g][1], call->weight,
                                   call->bias, out);
            }
        }
    }
    return KL_OK;
}

/* Standardized rows; then, where given, * weight, + bias. */
KL_INLINE int KL_FN(norm_rows)(bool centred, const struct kl_rows *call,
                               const struct kl_row_view *view, int64_t row, int64_t rows) {
    if (KL_FN(fits_wide)(call->size)) {
        return KL_FN(wide_norm_rows)(centred, call, view, row, rows);
    }
    KL_EACH_GROUP(first, count, call->size, rows) {
        double moments[KL_ROW_GROUP][2];
        KL_FN(group_moments)(centred, call, view, first, count, moments);
        if (call->moments) {
            memcpy(call->moments + 2 * (row + first), moments, (size_t)count * sizeof moments[0]);
        }
        for (int64_t g = 0; g < count; g++) {
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            KL_MAKE_ROW(call, KL_FN(standardized), call, x, moments[g], out);
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

/* The fold of (x - center) * z; wide_x receives x - center, and zeros as wide_fold leaves them. */
KL_INLINE double KL_FN(wide_moment)(const T *x, double center, const double *wide_z,
                                    double *wide_x, int64_t size) {
    const VD(vec) middle = VD(splat)(center), zero = VD(splat)(0);
    KL_FN(lanes) a = KL_FN(lanes_start)(KL_TERM_VALUE);
    for (int64_t i = 0; i < size; i += KL_LANES) {
        KL_UNROLL
        for (int v = 0; v < KL_LANES / VD(width); v++) {
            const int64_t k = i + v * VD(width), left = size - k;
            VD(vec) next = zero;
            if (KL_LIKELY(left >= VD(width))) {
                next = VD(sub)(KL_FN(wide)(x + k), middle);
            } else if (left > 0) {
                const VD(mask) real = VD(lt)(VD(iota)(), VD(splat)((double)left));
                next = VD(select)(real, VD(sub)(KL_FN(wide_part)(x + k, left), middle), zero);
            }
            VD(store)(wide_x + k, next);
            a.lane[v] = VD(add)(a.lane[v], VD(mul)(next, VD(load)(wide_z + k)));
        }
    }
    return KL_FN(lanes_meet)(&a, KL_TERM_VALUE);
}

/* norm_slope of a row in doubles: z and x - center, of which `moment` is the mean product. */
KL_INLINE void KL_FN(wide_norm_slope)(const double *wide_x, const double *wide_z, double lifted,
                                      double moment, double factor, T *out, int64_t size) {
    enum { parts = V(width) / VD(width) };
    const VD(vec) scale = VD(splat)(factor), lift = VD(splat)(lifted);
    const VD(vec) slope = VD(splat)(moment * factor * factor);
    KL_EACH(i, left, size, V(width)) {
        VD(vec) part[parts];
        KL_UNROLL
        for (int p = 0; p < parts; p++) {
            const int64_t k = i + p * VD(width);
            const VD(vec) level = VD(sub)(VD(load)(wide_z + k), lift);
            const VD(vec) rest = VD(sub)(level, VD(mul)(VD(load)(wide_x + k), slope));
            part[p] = VD(mul)(scale, rest);
        }
        KL_FN(put)(out + i, V(narrow)(part), left);
    }
}

/* out = scale * (z - mean(z) - s * mean(s * z)), in double, rounded once, where s is the
 * standardized row; no mean(z) unless centred. */
KL_INLINE void KL_FN(norm_slope)(bool far, bool centred, const T *x, const T *z,
                                 const double *moments, T *out, int64_t size) {
    enum { parts = V(width) / VD(width) };
    const double n = (double)size, factor = moments[1];
    const double mean = centred ? KL_FN(fold)(KL_TERM_VALUE, z, NULL, 0, size) / n : 0;
    const double moment = KL_FN(fold)(KL_TERM_MOMENT, x, z, moments[0], size) / n;
    const VD(vec) center = VD(splat)(moments[0]), scale = VD(splat)(factor);
    const VD(vec) lift = VD(splat)(mean), slope = VD(splat)(moment * factor * factor);
    KL_EACH_OUT(far, i, left, out, size) {
        VD(vec) part[parts];
        KL_UNROLL
        for (int p = 0; p < parts; p++) {
            const VD(vec) shifted = VD(sub)(KL_FN(take_wide_part)(x + i, p, left), center);
            const VD(vec) level = VD(sub)(KL_FN(take_wide_part)(z + i, p, left), lift);
            part[p] = VD(mul)(scale, VD(sub)(level, VD(mul)(shifted, slope)));
        }
        KL_FN(put_out)(far, out + i, V(narrow)(part), left);
    }
}

/* to = y * weight, rounded; without a weight, y itself. */
KL_INLINE const T *KL_FN(weighted)(const struct kl_rows *call, const T *y, T *to) {
    const T *weight = (const T *)call->weight;
    if (!weight) return y;
    KL_EACH(i, left, call->size, V(width)) {
        KL_FN(put)(to + i, V(mul)(KL_FN(take)(y + i, left), KL_FN(take)(weight + i, left)), left);
    }
    return to;
}

/* norm_backward_rows of rows that fit twice, widened; as many together as there is room for. */
KL_INLINE int KL_FN(wide_norm_backward_rows)(bool centred, const struct kl_rows *call,
                                             const struct kl_row_view *view, int64_t row,
                                             int64_t rows) {
    enum { room = KL_FN(wide_room) / 2 };
    double wide_z[room], wide_x[room], lift[KL_ROW_GROUP], moment[KL_ROW_GROUP];
    T near[room];
    const int64_t size = call->size, step = size / KL_LANES * KL_LANES + KL_LANES;
    const int64_t most = kl_min(KL_ROW_GROUP, room / step);
    for (int64_t first = 0; first < rows; first += most) {
        const int64_t count = kl_min(most, rows - first);
        const double *moments = call->moments + 2 * (row + first);
        for (int64_t g = 0; g < count; g++) {
            const T *z = KL_FN(weighted)(call, KL_FN(row)(view, KL_ROW_Y, first + g), near);
            const double total = KL_FN(wide_fold)(false, z, 0, wide_z + g * step, size);
            lift[g] = centred ? total / (double)size : 0;
        }
        for (int64_t g = 0; g < count; g++) {
            const T *x = KL_FN(row)(view, KL_ROW_X, first + g);
            moment[g] = KL_FN(wide_moment)(x, moments[2 * g], wide_z + g * step,
                                           wide_x + g * step, size) / (double)size;
        }
        for (int64_t g = 0; g < count; g++) {
            T *out = KL_FN(row)(view, KL_ROW_OUT, first + g);
            KL_FN(wide_norm_slope)(wide_x + g * step, wide_z + g * step, lift[g], moment[g],
                                   moments[2 * g + 1], out, size);
        }
    }
    return KL_OK;
}

/* x, y = the gradient of the result of norm_rows, with that call's moments and weight; y * weight
 * waits on the stack where it fits (what was just stored to a line that is not in cache is slow to
 * load), else in out, or, if that is streamed, in scratch. */
KL_INLINE int KL_FN(norm_backward_rows)(bool centred, const struct kl_rows *call,
                                        const struct kl_row_view *view, int64_t row,
                                        int64_t rows) {
    if (KL_FN(fits_wide)(2 * call->size + KL_LANES)) {
        return KL_FN(wide_norm_backward_rows)(centred, call, view, row, rows);
    }
    for (int64_t r = 0; r < rows; r++) {
        T *out = KL_FN(row)(view, KL_ROW_OUT, r);
        const T *z = KL_FN(weighted)(call, KL_FN(row)(view, KL_ROW_Y, r),
                                     call->streamed ? (T *)view->scratch : out);
        KL_MAKE_ROW(call, KL_FN(norm_slope), centred, KL_FN(row)(view, KL_ROW_X, r), z,
                    call->moments + 2 * (row + r), out, call->size);
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
