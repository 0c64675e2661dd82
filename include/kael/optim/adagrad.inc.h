/* Adagrad. state[0] sum
 *     g = -g                                   maximize
 *     g = g + decay * p                        decay
 *     sum = sum + g * g
 *     p = p - (lr * g) / (sqrt(sum) + eps) */
KL_INLINE void KL_FN(adagrad_group)(const struct KL_FN(arrays) *a, int64_t i, int64_t left,
                                    const int vectors, const int variant) {
    V(vec) x[KL_FN(most_vectors)], move[KL_FN(most_vectors)], root[KL_FN(most_vectors)];
    KL_UNROLL
    for (int k = 0; k < vectors; ++k) {
        const int64_t j = i + k * V(width);
        x[k] = KL_FN(take)(a->p + j, left);
        const V(vec) g = KL_FN(gradients)(KL_FN(take)(a->grad + j, left), x[k], a->decay, variant);
        root[k] = V(add)(KL_FN(take)(a->state[0] + j, left), V(mul)(g, g));
        KL_FN(put)(a->state[0] + j, root[k], left);
        move[k] = V(mul)(a->lr, g);
    }
    KL_FN(roots)(root, vectors);
    KL_UNROLL
    for (int k = 0; k < vectors; ++k) {
        const V(vec) step = V(div)(move[k], V(add)(root[k], a->eps));
        KL_FN(put)(a->p + i + k * V(width), V(sub)(x[k], step), left);
    }
}

/* Few products: every other root. */
KL_INLINE void KL_FN(adagrad_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                       const int variant) {
    KL_FN(by_groups)(row, first, count, KL_FN(adagrad_group), 2, variant);
}

KL_OPTIM_KERNEL(adagrad, KL_OPTIM_CASES4(adagrad, 0))
