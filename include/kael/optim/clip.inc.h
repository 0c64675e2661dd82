/* Gradient clipping.
 *     p = factor * p
 *     p = min(max(p, low), high), NaN kept */
static void KL_FN(step_scale)(const struct kl_optim_row *row, int64_t first, int64_t count) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T factor = (T)row->scalar.lr;
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) p[i] = factor * p[i];
}

static void KL_FN(step_clamp)(const struct kl_optim_row *row, int64_t first, int64_t count) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T low = (T)row->scalar.least, high = (T)row->scalar.most;
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) p[i] = KL_FN(limited)(p[i], low, high);
}
