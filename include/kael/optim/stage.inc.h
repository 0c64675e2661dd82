/* A row whose memory is not what the rule computes with, piece by piece through the cache: 16-bit
 * elements, a gradient to be scaled or cleared, a parameter to be left alone. No rule knows of it.
 */

/* buffer[i] = factor * array[first + i] */
static void KL_FN(fetch)(T *KL_RESTRICT buffer, const void *array, int storage, T factor,
                         int64_t first, int64_t count) {
    const uint16_t *KL_RESTRICT half = (const uint16_t *)array + first;
    const T *KL_RESTRICT plain = (const T *)array + first;
    if (storage == KL_STORAGE_bf16) {
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) buffer[i] = factor * kl_load_bf16(half[i]);
    } else if (storage == KL_STORAGE_f16) { /* then T is float */
        KL_CAT4(kl, widen, f16, KL_ISA)(half, (float *)(void *)buffer, count);
        if (factor == 1) return;
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) buffer[i] *= factor;
    } else {
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) buffer[i] = factor * plain[i];
    }
}

/* array[first + i] = buffer[i], of 16-bit elements */
static void KL_FN(put_back)(void *array, const T *KL_RESTRICT buffer, int storage, int64_t first,
                            int64_t count) {
    uint16_t *KL_RESTRICT half = (uint16_t *)array + first;
    if (storage == KL_STORAGE_bf16) {
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) half[i] = kl_store_bf16((float)buffer[i]);
    } else { /* then T is float */
        KL_CAT4(kl, narrow, f16, KL_ISA)((const float *)(const void *)buffer, half, count);
    }
}

/* An array as the rule sees it: its own elements where they are of type T, else the buffer. */
KL_INLINE void *KL_FN(seen)(T *buffer, void *array, int storage, int64_t first, int64_t count) {
    if (!array || storage == KL_STORAGE_plain) return KL_FN(from)(array, first);
    KL_FN(fetch)(buffer, array, storage, 1, first, count);
    return buffer;
}

static void KL_FN(stage)(const struct kl_optim_row *row, kl_optim_kernel kernel, int64_t first,
                         int64_t count) {
    enum { PIECE = KL_OPTIM_PIECE / sizeof(T) };
    _Alignas(KL_ALIGNMENT) T p[PIECE], g[PIECE], state[KL_OPTIM_STATES][PIECE];
    const int64_t end = first + count;
    const size_t itemsize = row->grad_storage == KL_STORAGE_plain ? sizeof(T) : sizeof(uint16_t);
    struct kl_optim_row part = *row;
    for (; first < end; first += PIECE) {
        const int64_t n = kl_min(PIECE, end - first);
        part.param = p;
        if (row->frozen) KL_FN(fetch)(p, row->param, row->param_storage, 1, first, n);
        else part.param = KL_FN(seen)(p, row->param, row->param_storage, first, n);
        part.grad = g;
        if (row->factor != 1.0)
            KL_FN(fetch)(g, row->grad, row->grad_storage, (T)row->factor, first, n);
        else part.grad = KL_FN(seen)(g, row->grad, row->grad_storage, first, n);
        for (int k = 0; k < KL_OPTIM_STATES; ++k)
            part.state[k] = KL_FN(seen)(state[k], row->state[k], row->state_storage, first, n);
        kernel(&part, 0, n);
        if (part.param == p && !row->frozen)
            KL_FN(put_back)(row->param, p, row->param_storage, first, n);
        for (int k = 0; k < KL_OPTIM_STATES; ++k)
            if (part.state[k] == state[k])
                KL_FN(put_back)(row->state[k], state[k], row->state_storage, first, n);
        if (row->clear) memset((char *)row->grad + first * itemsize, 0, n * itemsize);
    }
}
