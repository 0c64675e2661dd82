/* Adamax. state[0] exp_avg, state[1] exp_inf
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     m = beta1 * m + (1 - beta1) * g
 *     u = max(beta2 * u, |g| + eps), NaN wins
 *     p = p - (lr * m) / u */
KL_INLINE void KL_FN(adamax_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                      const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT m = KL_FN(from)(row->state[0], first);
    T *KL_RESTRICT u = KL_FN(from)(row->state[1], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i], g = KL_FN(gradient)(grad[i], x, s.decay, variant);
        const T mean = s.beta1 * m[i] + s.rest1 * g;
        const T most = KL_FN(larger)(s.beta2 * u[i], KL_FN(magnitude)(g) + s.eps);
        m[i] = mean;
        u[i] = most;
        p[i] = x - (s.lr * mean) / most;
    }
}

KL_OPTIM_KERNEL(adamax, KL_OPTIM_CASES4(adamax, 0))
