/* Lion. state[0] exp_avg
 *     g = -g                                   maximize
 *     p = p * (1 - lr * decay)                 decay
 *     p = p - lr * sign(beta1 * m + (1 - beta1) * g)
 *     m = beta2 * m + (1 - beta2) * g */
KL_INLINE void KL_FN(lion_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                    const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT m = KL_FN(from)(row->state[0], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T g = KL_FN(gradient)(grad[i], 0, 0, variant & KL_MAXIMIZE);
        const T x = variant & KL_DECAY ? p[i] * s.shrink : p[i], mean = m[i];
        p[i] = x - s.lr * KL_FN(direction)(s.beta1 * mean + s.rest1 * g);
        m[i] = s.beta2 * mean + s.rest2 * g;
    }
}

KL_OPTIM_KERNEL(lion, KL_OPTIM_CASES4(lion, 0))
