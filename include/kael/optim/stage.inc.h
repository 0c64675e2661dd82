/* A row whose memory is not what the rule computes with, piece by piece through the cache: 16-bit
 * elements, a gradient to be scaled or cleared, a parameter to be left alone. No rule knows of it.
 */
#include "kael/half.inc.h"
#include "kael/philox.inc.h"

enum { KL_FN(piece) = KL_OPTIM_PIECE / sizeof(T) };

/* buffer[i] = factor * array[first + i] */
static void KL_FN(fetch)(T *KL_RESTRICT buffer, const void *array, int storage, T factor,
                         int64_t first, int64_t count) {
    const T *KL_RESTRICT plain = (const T *)array + first;
    if (storage == KL_STORAGE_plain) {
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) buffer[i] = factor * plain[i];
        return;
    } /* else T is float */
    KL_FN(widen_halves)(storage, (const uint16_t *)array + first, (float *)(void *)buffer, count);
    if (factor == 1) return;
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) buffer[i] *= factor;
}

/* array[first + i] = buffer[i], of 16-bit elements */
static void KL_FN(put_back)(void *array, const T *buffer, int storage, int64_t first,
                            int64_t count) {
    KL_FN(narrow_halves)(storage, (const float *)(const void *)buffer, (uint16_t *)array + first,
                         count);
}

/* The same, up or down by random numbers: element e of the row takes number row->draw + e. A block
 * makes eight, from the low and the high half of each word in turn. */
static void KL_FN(put_back_drawn)(const struct kl_optim_row *row, const T *buffer, int64_t first,
                                  int64_t count) {
    uint32_t words[4][KL_RANDOM_BATCH], drawn[KL_FN(piece) / 2 + 8];
    uint16_t random[KL_FN(piece) + 16];
    const uint64_t number = row->draw + (uint64_t)first;
    const int64_t skipped = (int64_t)(number % 8), blocks = kl_ceil_div(skipped + count, 8);
    KL_FN(philox_batch)(row->seed, number / 8, KL_PLANE_ROUNDING, blocks, words);
    for (int64_t b = 0; b < blocks; ++b) {
        KL_UNROLL
        for (int k = 0; k < 4; ++k) drawn[4 * b + k] = words[k][b];
    }
    memcpy(random, drawn, (size_t)blocks * 16);
    KL_FN(round_halves)(row->param_storage, (const float *)(const void *)buffer, random + skipped,
                        (uint16_t *)row->param + first, count);
}

/* A master starts anew from every element that is no longer its rounding: somebody changed it. */
static void KL_FN(renew)(const struct kl_optim_row *row, int64_t first, int64_t count) {
    const uint16_t *half = (const uint16_t *)row->rounded + first;
    float *master = (float *)row->param + first;
    uint16_t rounded[KL_FN(piece)];
    KL_FN(narrow_halves)(row->rounded_storage, master, rounded, count);
    if (memcmp(rounded, half, (size_t)count * sizeof *half) == 0) return;
    for (int64_t i = 0; i < count; ++i)
        if (rounded[i] != half[i])
            KL_FN(widen_halves)(row->rounded_storage, half + i, master + i, 1);
}

/* An array as the rule sees it: its own elements where they are of type T, else the buffer. */
KL_INLINE void *KL_FN(seen)(T *buffer, void *array, int storage, int64_t first, int64_t count) {
    if (!array || storage == KL_STORAGE_plain) return KL_FN(from)(array, first);
    KL_FN(fetch)(buffer, array, storage, 1, first, count);
    return buffer;
}

/* What the rule has made of the parameter, where it is to be seen. */
KL_INLINE void KL_FN(show)(const struct kl_optim_row *row, const T *p, int64_t first,
                           int64_t count) {
    if (row->rounded) KL_FN(put_back)(row->rounded, p, row->rounded_storage, first, count);
    else if (row->param_storage == KL_STORAGE_plain) return;
    else if (row->stochastic) KL_FN(put_back_drawn)(row, p, first, count);
    else KL_FN(put_back)(row->param, p, row->param_storage, first, count);
}

static void KL_FN(stage)(const struct kl_optim_row *row, kl_optim_kernel kernel, int64_t first,
                         int64_t count) {
    enum { PIECE = KL_FN(piece) };
    _Alignas(KL_ALIGNMENT) T p[PIECE], g[PIECE], state[KL_OPTIM_STATES][PIECE];
    const int64_t end = first + count;
    const size_t itemsize = row->grad_storage == KL_STORAGE_plain ? sizeof(T) : sizeof(uint16_t);
    struct kl_optim_row part = *row;
    for (; first < end; first += PIECE) {
        const int64_t n = kl_min(PIECE, end - first);
        if (row->rounded) KL_FN(renew)(row, first, n);
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
        if (!row->frozen) KL_FN(show)(row, part.param, first, n);
        for (int k = 0; k < KL_OPTIM_STATES; ++k)
            if (part.state[k] == state[k])
                KL_FN(put_back)(row->state[k], state[k], row->state_storage, first, n);
        if (row->clear) memset((char *)row->grad + first * itemsize, 0, n * itemsize);
    }
}
