/* Averages of weights. g is the new value, whose share is weight.
 *     p = p + weight * (g - p)
 *     p = g - (1 - weight) * (g - p)           weight >= 0.5 */
KL_INLINE void KL_FN(average_elements)(const struct kl_optim_row *row, int64_t first,
                                       int64_t count, const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T g = grad[i], step = g - p[i];
        p[i] = variant & KL_AVERAGE_FROM_END ? g - s.rest1 * step : p[i] + s.lr * step;
    }
}

KL_OPTIM_KERNEL(average, KL_OPTIM_CASES2(average, 0))
