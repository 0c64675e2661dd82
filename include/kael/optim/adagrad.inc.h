/* Adagrad. state[0] sum
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     sum = sum + g * g
 *     p = p - (lr * g) / (sqrt(sum) + eps) */
KL_INLINE void KL_FN(adagrad_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                       const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT sum = KL_FN(from)(row->state[0], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i], g = KL_FN(gradient)(grad[i], x, s.decay, variant);
        const T total = sum[i] + g * g;
        sum[i] = total;
        p[i] = x - (s.lr * g) / (KL_FN(root)(total) + s.eps);
    }
}

KL_OPTIM_KERNEL(adagrad, KL_OPTIM_CASES4(adagrad, 0))
