/* Tiles: a strided piece of memory copied to contiguous rows, or back, so that one arithmetic body
 * serves every layout. Knows element sizes, not types. */
#ifndef KAEL_TILE_H
#define KAEL_TILE_H

#include <string.h>

#include "kael/config.h"

/* One side of a copy: element e of row r lies at data + (r * row + e * element) * itemsize. */
struct kl_tile {
    char *data;
    int64_t row, element; /* strides in elements, any sign */
};

/* Squares of 16 x 16 use each cache line whole, whichever side is the contiguous one. `bytes` is
 * a literal at every call, so that memcpy becomes one move. */
KL_INLINE void kl_tile_move(struct kl_tile to, struct kl_tile from, int64_t rows, int64_t size,
                            const int64_t bytes) {
    enum { square = 16 };
    for (int64_t first = 0; first < size; first += square) {
        const int64_t last = kl_min(first + square, size);
        for (int64_t r = 0; r < rows; r++) {
            char *p = to.data + r * to.row * bytes;
            const char *q = from.data + r * from.row * bytes;
            for (int64_t e = first; e < last; e++) {
                memcpy(p + e * to.element * bytes, q + e * from.element * bytes, (size_t)bytes);
            }
        }
    }
}

/* Copies rows x size elements of itemsize 1, 4 or 8. */
static KL_UNUSED void kl_tile_copy(struct kl_tile to, struct kl_tile from, int64_t rows,
                                   int64_t size, int64_t itemsize) {
    switch (itemsize) {
    case 1: kl_tile_move(to, from, rows, size, 1); break;
    case 4: kl_tile_move(to, from, rows, size, 4); break;
    default: kl_tile_move(to, from, rows, size, 8); break;
    }
}

#endif
