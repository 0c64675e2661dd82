/* RMSprop. state[0] square_avg, state[1] momentum_buffer, state[2] grad_avg
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     v = alpha * v + ((1 - alpha) * g) * g
 *     a = alpha * a + (1 - alpha) * g          centered
 *     root = sqrt(v) + eps                     or sqrt(v - a * a) + eps, centered
 *     b = momentum * b + g / root              momentum
 *     p = p - lr * b                           momentum
 *     p = p - (lr * g) / root                  no momentum */
KL_INLINE void KL_FN(rmsprop_group)(const struct KL_FN(arrays) *a, int64_t i, int64_t left,
                                    const int vectors, const int variant) {
    V(vec) x[KL_FN(most_vectors)], slope[KL_FN(most_vectors)], root[KL_FN(most_vectors)];
    KL_UNROLL
    for (int k = 0; k < vectors; ++k) {
        const int64_t j = i + k * V(width);
        x[k] = KL_FN(take)(a->p + j, left);
        const V(vec) g = KL_FN(gradients)(KL_FN(take)(a->grad + j, left), x[k], a->decay, variant);
        const V(vec) v = V(mul)(a->beta2, KL_FN(take)(a->state[0] + j, left));
        root[k] = V(add)(v, V(mul)(V(mul)(a->rest2, g), g));
        slope[k] = g;
        KL_FN(put)(a->state[0] + j, root[k], left);
        if (!(variant & KL_RMSPROP_CENTERED)) continue;
        const V(vec) old = V(mul)(a->beta1, KL_FN(take)(a->state[2] + j, left));
        const V(vec) mean = V(add)(old, V(mul)(a->rest1, g));
        KL_FN(put)(a->state[2] + j, mean, left);
        root[k] = V(sub)(root[k], V(mul)(mean, mean));
    }
    KL_FN(roots)(root, vectors);
    KL_UNROLL
    for (int k = 0; k < vectors; ++k) {
        const int64_t j = i + k * V(width);
        const V(vec) below = V(add)(root[k], a->eps);
        V(vec) step = V(div)(variant & KL_RMSPROP_MOMENTUM ? slope[k] : V(mul)(a->lr, slope[k]),
                             below);
        if (variant & KL_RMSPROP_MOMENTUM) {
            const V(vec) old = V(mul)(a->momentum, KL_FN(take)(a->state[1] + j, left));
            const V(vec) b = V(add)(old, step);
            KL_FN(put)(a->state[1] + j, b, left);
            step = V(mul)(a->lr, b);
        }
        KL_FN(put)(a->p + j, V(sub)(x[k], step), left);
    }
}

/* Few products: every other root. */
KL_INLINE void KL_FN(rmsprop_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                       const int variant) {
    KL_FN(by_groups)(row, first, count, KL_FN(rmsprop_group), 2, variant);
}

KL_OPTIM_KERNEL(rmsprop, KL_OPTIM_CASES16(rmsprop, 0))
