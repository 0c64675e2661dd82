/* Resilient backpropagation. state[0] prev, state[1] step_size
 *     g = -g                                   maximize
 *     agreement = sign(g * prev)
 *     size = size * (grow, 1 or shrink)        agreement 1, 0 or -1
 *     size = min(max(size, least), most)
 *     g = 0                                    agreement -1
 *     p = p - sign(g) * size
 *     prev = g */
KL_INLINE void KL_FN(rprop_elements)(const struct kl_optim_row *row, int64_t first, int64_t count,
                                     const int variant) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    T *KL_RESTRICT prev = KL_FN(from)(row->state[0], first);
    T *KL_RESTRICT size = KL_FN(from)(row->state[1], first);
    const struct KL_FN(scalars) s = KL_FN(narrowed)(&row->scalar);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i], slope = KL_FN(gradient)(grad[i], 0, 0, variant);
        const T agreement = slope * prev[i];
        const T g = agreement < 0 ? 0 : slope;
        const T factor = agreement > 0 ? s.grow : agreement < 0 ? s.shrink : 1;
        const T length = KL_FN(limited)(size[i] * factor, s.least, s.most);
        prev[i] = g;
        size[i] = length;
        p[i] = x - KL_FN(direction)(g) * length;
    }
}

KL_OPTIM_KERNEL(rprop, KL_OPTIM_CASES2(rprop, 0))
