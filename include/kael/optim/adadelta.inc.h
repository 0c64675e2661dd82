/* Adadelta. state[0] square_avg, state[1] acc_delta
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     v = rho * v + ((1 - rho) * g) * g
 *     d = (sqrt(a + eps) / sqrt(v + eps)) * g
 *     a = rho * a + ((1 - rho) * d) * d
 *     p = p - lr * d */
KL_INLINE void KL_FN(adadelta_elements)(const struct kl_optim_row *row, int64_t first,
                                        int64_t count, const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT v = KL_FN(from)(row->state[0], first);
    T *KL_RESTRICT a = KL_FN(from)(row->state[1], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i], change = a[i], g = KL_FN(gradient)(grad[i], x, s.decay, variant);
        const T square = s.beta2 * v[i] + (s.rest2 * g) * g;
        const T d = (KL_FN(root)(change + s.eps) / KL_FN(root)(square + s.eps)) * g;
        v[i] = square;
        a[i] = s.beta2 * change + (s.rest2 * d) * d;
        p[i] = x - s.lr * d;
    }
}

KL_OPTIM_KERNEL(adadelta, KL_OPTIM_CASES4(adadelta, 0))
