/* RMSprop. state[0] square_avg, state[1] momentum_buffer, state[2] grad_avg
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     v = alpha * v + ((1 - alpha) * g) * g
 *     a = alpha * a + (1 - alpha) * g          centered
 *     root = sqrt(v) + eps                     or sqrt(v - a * a) + eps, centered
 *     b = momentum * b + g / root              momentum
 *     p = p - lr * b                           momentum
 *     p = p - (lr * g) / root                  no momentum */
KL_INLINE void KL_FN(rmsprop_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                       const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT v = KL_FN(from)(row->state[0], first);
    T *KL_RESTRICT buffer = KL_FN(from)(row->state[1], first);
    T *KL_RESTRICT a = KL_FN(from)(row->state[2], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i], g = KL_FN(gradient)(grad[i], x, s.decay, variant);
        const T pushed = variant & KL_RMSPROP_MOMENTUM ? s.momentum * buffer[i] : 0;
        const T mean = variant & KL_RMSPROP_CENTERED ? s.beta1 * a[i] + s.rest1 * g : 0;
        const T square = s.beta2 * v[i] + (s.rest2 * g) * g;
        const T spread = variant & KL_RMSPROP_CENTERED ? square - mean * mean : square;
        const T root = KL_FN(root)(spread) + s.eps;
        const T b = pushed + g / root; /* of momentum alone */
        v[i] = square;
        if (variant & KL_RMSPROP_CENTERED) a[i] = mean;
        if (variant & KL_RMSPROP_MOMENTUM) buffer[i] = b;
        p[i] = x - (variant & KL_RMSPROP_MOMENTUM ? s.lr * b : (s.lr * g) / root);
    }
}

KL_OPTIM_KERNEL(rmsprop, KL_OPTIM_CASES16(rmsprop, 0))
