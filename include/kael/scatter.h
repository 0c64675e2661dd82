/* The opposite of choosing one element a line: the gradient of max(x, dim) and its like. */
#ifndef KAEL_SCATTER_H
#define KAEL_SCATTER_H

#include <string.h>

#include "kael/config.h"

/* out[outer, size, inner] = 0 but for out[o, indices[o, i], i] = g[o, i]; g and indices have
 * `count` elements, indices are in range. */
static void kl_scatter(const void *g, const int64_t *indices, void *out, int64_t itemsize,
                       int64_t count, int64_t size, int64_t inner) {
    if (count == 0 || size == 0) return;
    memset(out, 0, (size_t)(count * size * itemsize));
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = (k / inner * size + indices[k]) * inner + k % inner;
        memcpy((char *)out + at * itemsize, (const char *)g + k * itemsize, (size_t)itemsize);
    }
}

#endif
