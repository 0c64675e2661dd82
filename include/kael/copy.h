/* Rows of bytes copied from one grid to another, and runs of items from one step to another.
 *
 * A call to memcpy costs more than what it moves when rows are short: those of up to KL_SHORT_BYTES
 * are moved by pieces that meet, or overlap inside the row, so that no byte beside it is read or
 * written. */
#ifndef KAEL_COPY_H
#define KAEL_COPY_H

#include <string.h>

#include "kael/config.h"

enum {
    KL_SHORT_BYTES = 192,
    KL_FILL_BYTES = 4096 /* of one item repeated, which a longer run then copies */
};

/* The first `size` bytes of n, and the last: the row, where size <= n <= 2 * size. Literal sizes,
 * so that each memcpy is a few moves. */
#define KL_COPY_ENDS(size)                                                         \
    do {                                                                           \
        memcpy(to, from, size);                                                    \
        memcpy(to + n - (size), from + n - (size), size);                          \
    } while (0)

#define KL_COPY_EACH(...)                                                          \
    for (int64_t r = 0; r < rows; ++r, to += to_step, from += from_step) {         \
        __VA_ARGS__;                                                               \
    }

/* Row r of n bytes goes from `from + r * from_step` to `to + r * to_step`; they do not overlap. */
static KL_UNUSED void kl_copy_rows(char *to, int64_t to_step, const char *from, int64_t from_step,
                                   int64_t rows, int64_t n) {
    if (n == 0) return; /* then there may be no memory at all */
    if (n == 4) {
        KL_COPY_EACH(memcpy(to, from, 4));
    } else if (n == 8) {
        KL_COPY_EACH(memcpy(to, from, 8));
    } else if (n == 12) {
        KL_COPY_EACH(memcpy(to, from, 12));
    } else if (n == 16) {
        KL_COPY_EACH(memcpy(to, from, 16));
    } else if (n > 64 && n <= KL_SHORT_BYTES) {
        KL_COPY_EACH(
            for (int64_t i = 0; i < n - 64; i += 64) memcpy(to + i, from + i, 64);
            memcpy(to + n - 64, from + n - 64, 64));
    } else if (n > 64 || n < 2) {
        KL_COPY_EACH(memcpy(to, from, (size_t)n));
    } else if (n > 32) {
        KL_COPY_EACH(KL_COPY_ENDS(32));
    } else if (n > 16) {
        KL_COPY_EACH(KL_COPY_ENDS(16));
    } else if (n > 8) {
        KL_COPY_EACH(KL_COPY_ENDS(8));
    } else if (n > 4) {
        KL_COPY_EACH(KL_COPY_ENDS(4));
    } else {
        KL_COPY_EACH(KL_COPY_ENDS(2));
    }
}

#undef KL_COPY_EACH
#undef KL_COPY_ENDS

/* Repeats one item `size` times. memcpy of a constant size is a plain move that asks for no
 * alignment, and the compiler widens loops of it; the C library copies a beginning on by wider
 * vectors than this file has (1e5 f32: 4.3 us, 6.8 by the loop alone). */
KL_INLINE void kl_fill_items(char *to, const char *from, const int64_t itemsize, int64_t size) {
    const int64_t n = itemsize == 1 ? size : kl_min(size, KL_FILL_BYTES / itemsize);
    uint32_t four;
    uint64_t eight;
    if (itemsize == 1) {
        memset(to, *from, (size_t)n);
    } else if (itemsize == 4) {
        memcpy(&four, from, 4);
        for (int64_t i = 0; i < n; ++i) memcpy(to + 4 * i, &four, 4);
    } else {
        memcpy(&eight, from, 8);
        for (int64_t i = 0; i < n; ++i) memcpy(to + 8 * i, &eight, 8);
    }
    for (int64_t i = n; i < size; i += n)
        memcpy(to + i * itemsize, to, (size_t)(kl_min(n, size - i) * itemsize));
}

KL_INLINE void kl_move_items(char *to, int64_t to_step, const char *from, int64_t step,
                             const int64_t itemsize, int64_t n) {
    if (to_step == itemsize && step == 0) {
        kl_fill_items(to, from, itemsize, n);
    } else if (to_step == itemsize && step == -itemsize) {
        for (int64_t i = 0; i < n; ++i)
            memcpy(to + i * itemsize, from - i * itemsize, (size_t)itemsize);
    } else if (to_step == itemsize && step == 2 * itemsize) {
        for (int64_t i = 0; i < n; ++i)
            memcpy(to + i * itemsize, from + i * 2 * itemsize, (size_t)itemsize);
    } else {
        for (int64_t i = 0; i < n; ++i)
            memcpy(to + i * to_step, from + i * step, (size_t)itemsize);
    }
}

/* Copies n elements; steps in bytes. */
static inline KL_UNUSED void kl_move_run(char *to, int64_t to_step, const char *from, int64_t step,
                                         int64_t itemsize, int64_t n) {
    if (step == itemsize && to_step == itemsize) {
        memcpy(to, from, (size_t)(n * itemsize));
    } else if (itemsize == 4) {
        kl_move_items(to, to_step, from, step, 4, n);
    } else if (itemsize == 8) {
        kl_move_items(to, to_step, from, step, 8, n);
    } else {
        kl_move_items(to, to_step, from, step, 1, n);
    }
}

#endif
