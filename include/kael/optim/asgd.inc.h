/* Averaged stochastic gradient descent. state[0] ax
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     p = p * (1 - lambd * eta)
 *     p = p - eta * g
 *     ax = ax + (p - ax) * mu                  average
 *     ax = p                                   until t0 */
KL_INLINE void KL_FN(asgd_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                    const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT ax = KL_FN(from)(row->state[0], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T old = p[i], g = KL_FN(gradient)(grad[i], old, s.decay, variant);
        const T x = old * s.shrink - s.lr * g, mean = variant & KL_ASGD_AVERAGE ? ax[i] : 0;
        p[i] = x;
        ax[i] = variant & KL_ASGD_AVERAGE ? mean + (x - mean) * s.mu : x;
    }
}

KL_OPTIM_KERNEL(asgd, KL_OPTIM_CASES8(asgd, 0))
