/* Adam. state[0] exp_avg, state[1] exp_avg_sq, state[2] max_exp_avg_sq (amsgrad)
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay, coupled
 *     p = p * (1 - lr * decay)                 decay, decoupled
 *     m = beta1 * m + (1 - beta1) * g
 *     v = beta2 * v + ((1 - beta2) * g) * g
 *     largest = max(largest, v), NaN wins      amsgrad; it takes the place of v below
 *     p = p - (lr * m) / (sqrt(v * inverse2) + eps) */
KL_INLINE void KL_FN(adam_group)(const struct KL_FN(arrays) *a, int64_t i, int64_t left,
                                 const int vectors, const int variant) {
    const bool decoupled = (variant & KL_DECAY) && (variant & KL_DECOUPLED);
    const int coupled = decoupled ? variant & KL_MAXIMIZE : variant;
    V(vec) x[KL_FN(most_vectors)], move[KL_FN(most_vectors)], root[KL_FN(most_vectors)];
    KL_UNROLL
    for (int k = 0; k < vectors; ++k) {
        const int64_t j = i + k * V(width);
        const V(vec) old = KL_FN(take)(a->p + j, left);
        const V(vec) g = KL_FN(gradients)(KL_FN(take)(a->grad + j, left), old, a->decay, coupled);
        const V(vec) m = V(mul)(a->beta1, KL_FN(take)(a->state[0] + j, left));
        const V(vec) v = V(mul)(a->beta2, KL_FN(take)(a->state[1] + j, left));
        const V(vec) mean = V(add)(m, V(mul)(a->rest1, g));
        V(vec) square = V(add)(v, V(mul)(V(mul)(a->rest2, g), g)), most = square;
        if (variant & KL_ADAM_AMSGRAD)
            most = KL_FN(largest)(KL_FN(take)(a->state[2] + j, left), square);
        KL_FN(put)(a->state[0] + j, mean, left);
        KL_FN(put)(a->state[1] + j, square, left);
        if (variant & KL_ADAM_AMSGRAD) KL_FN(put)(a->state[2] + j, most, left);
        x[k] = decoupled ? V(mul)(old, a->decay) : old;
        move[k] = V(mul)(a->lr, mean);
        root[k] = V(mul)(most, a->inverse2);
    }
    KL_FN(roots)(root, vectors);
    KL_UNROLL
    for (int k = 0; k < vectors; ++k) {
        const V(vec) step = V(div)(move[k], V(add)(root[k], a->eps));
        KL_FN(put)(a->p + i + k * V(width), V(sub)(x[k], step), left);
    }
}

/* Seven products beside the root and the quotient: a root in four by multiply-adds suits Zen 4. */
KL_INLINE void KL_FN(adam_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                    const int variant) {
    KL_FN(by_groups)(row, first, count, KL_FN(adam_group), 4, variant);
}

KL_OPTIM_KERNEL(adam, KL_OPTIM_CASES16(adam, 0))
