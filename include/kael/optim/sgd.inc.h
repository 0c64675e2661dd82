/* Stochastic gradient descent. state[0] momentum_buffer
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     b = g                                    momentum, first
 *     b = momentum * b + (1 - dampening) * g   momentum
 *     g = b, or with nesterov g + momentum * b momentum
 *     p = p - lr * g */
KL_INLINE void KL_FN(sgd_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                   const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT buffer = KL_FN(from)(row->state[0], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i];
        T g = KL_FN(gradient)(grad[i], x, s.decay, variant);
        if (variant & KL_SGD_MOMENTUM) {
            const T b = variant & KL_SGD_FIRST ? g : s.momentum * buffer[i] + s.rest1 * g;
            buffer[i] = b;
            g = variant & KL_SGD_NESTEROV ? g + s.momentum * b : b;
        }
        p[i] = x - s.lr * g;
    }
}

/* No momentum; momentum; with nesterov; the last two on their first step. */
#define KL_SGD_CASES(n)                                                            \
    KL_OPTIM_CASES4(sgd, n) KL_OPTIM_CASES4(sgd, n + 4) KL_OPTIM_CASES4(sgd, n + 12) \
    KL_OPTIM_CASES4(sgd, n + 20) KL_OPTIM_CASES4(sgd, n + 28)
KL_OPTIM_KERNEL(sgd, KL_SGD_CASES(0))
#undef KL_SGD_CASES
