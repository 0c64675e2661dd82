/* Rows of bytes copied from one grid to another, of any length. A call to memcpy costs more than
 * what it moves when rows are short: those of up to KL_SHORT_BYTES are moved by pieces that meet,
 * or overlap inside the row, so that no byte beside it is read or written. */
#ifndef KAEL_COPY_H
#define KAEL_COPY_H

#include <string.h>

#include "kael/config.h"

enum { KL_SHORT_BYTES = 128 };

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
    if (n == 4) {
        KL_COPY_EACH(memcpy(to, from, 4));
    } else if (n == 8) {
        KL_COPY_EACH(memcpy(to, from, 8));
    } else if (n == 12) {
        KL_COPY_EACH(memcpy(to, from, 12));
    } else if (n == 16) {
        KL_COPY_EACH(memcpy(to, from, 16));
    } else if (n > KL_SHORT_BYTES || n < 2) {
        KL_COPY_EACH(memcpy(to, from, (size_t)n));
    } else if (n > 64) {
        KL_COPY_EACH(KL_COPY_ENDS(64));
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

#endif
