/* RAdam. state[0] exp_avg, state[1] exp_avg_sq
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay, coupled
 *     p = p * (1 - lr * decay)                 decay, decoupled
 *     m = beta1 * m + (1 - beta1) * g
 *     v = beta2 * v + ((1 - beta2) * g) * g
 *     p = p - (lr * m) / (sqrt(v) + eps)       adaptive
 *     p = p - lr * m                           not yet */
KL_INLINE void KL_FN(radam_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                     const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT m = KL_FN(from)(row->state[0], first);
    T *KL_RESTRICT v = KL_FN(from)(row->state[1], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    const bool decoupled = (variant & KL_DECAY) && (variant & KL_DECOUPLED);
    const int coupled = decoupled ? variant & KL_MAXIMIZE : variant;
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T old = p[i], g = KL_FN(gradient)(grad[i], old, s.decay, coupled);
        const T x = decoupled ? old * s.decay : old;
        const T mean = s.beta1 * m[i] + s.rest1 * g, move = s.lr * mean;
        const T square = s.beta2 * v[i] + (s.rest2 * g) * g;
        m[i] = mean;
        v[i] = square;
        p[i] = x - (variant & KL_RADAM_ADAPTIVE ? move / (KL_FN(root)(square) + s.eps) : move);
    }
}

KL_OPTIM_KERNEL(radam, KL_OPTIM_CASES16(radam, 0))
