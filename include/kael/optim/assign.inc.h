/* Assignment.
 *     p = g */
static void KL_FN(step_assign)(const struct kl_optim_row *row, int64_t first, int64_t count) {
    T *KL_RESTRICT p = KL_FN(from)(row->param, first);
    const T *KL_RESTRICT grad = KL_FN(from)(row->grad, first);
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) p[i] = grad[i];
}
