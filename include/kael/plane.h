/* Planes: a strided piece of memory copied to contiguous rows, or back, so that one arithmetic body
 * serves every layout. Knows element sizes, not types. */
#ifndef KAEL_PLANE_H
#define KAEL_PLANE_H

#include <stdlib.h>
#include <string.h>

#include "kael/config.h"

/* One side of a copy: element e of row r lies at data + (r * row + e * element) * itemsize. */
struct kl_plane {
    char *data;
    int64_t row, element; /* strides in elements, any sign */
};

/* The plane from element e of row r on. */
KL_INLINE struct kl_plane kl_plane_from(struct kl_plane plane, int64_t r, int64_t e,
                                        int64_t bytes) {
    plane.data += (r * plane.row + e * plane.element) * bytes;
    return plane;
}

/* Vectors of every platform's baseline; memory need not be aligned. */
typedef uint32_t kl_words __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t kl_longs __attribute__((vector_size(16), aligned(1), may_alias));
enum { KL_WORDS_SIDE = 4, KL_LONGS_SIDE = 2 };

/* Square of 4 x 4 words: word r of in + e * in_step goes to word e of out + r * out_step; steps in
 * bytes. */
KL_INLINE void kl_turn_words(char *out, int64_t out_step, const char *in, int64_t in_step) {
    const kl_words a = *(const kl_words *)in, b = *(const kl_words *)(in + in_step);
    const kl_words c = *(const kl_words *)(in + 2 * in_step);
    const kl_words d = *(const kl_words *)(in + 3 * in_step);
    const kl_words ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const kl_words ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const kl_words cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const kl_words cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(kl_words *)out = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *(kl_words *)(out + out_step) = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *(kl_words *)(out + 2 * out_step) = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *(kl_words *)(out + 3 * out_step) = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/* Square of 2 x 2 words of 8 bytes. */
KL_INLINE void kl_turn_longs(char *out, int64_t out_step, const char *in, int64_t in_step) {
    const kl_longs a = *(const kl_longs *)in, b = *(const kl_longs *)(in + in_step);
    *(kl_longs *)out = __builtin_shufflevector(a, b, 0, 2);
    *(kl_longs *)(out + out_step) = __builtin_shufflevector(a, b, 1, 3);
}

/* Elements [first, last) of rows [begin, rows), one at a time. `bytes` is a literal at every call,
 * so that memcpy becomes one move. */
KL_INLINE void kl_plane_each(struct kl_plane to, struct kl_plane from, int64_t begin, int64_t rows,
                             int64_t first, int64_t last, const int64_t bytes) {
    for (int64_t r = begin; r < rows; r++) {
        char *p = to.data + r * to.row * bytes;
        const char *q = from.data + r * from.row * bytes;
        for (int64_t e = first; e < last; e++) {
            memcpy(p + e * to.element * bytes, q + e * from.element * bytes, (size_t)bytes);
        }
    }
}

/* Rows of size elements, a literal number of them, side by side. */
KL_INLINE void kl_plane_lines(struct kl_plane to, struct kl_plane from, const int64_t rows,
                              int64_t size, const int64_t bytes) {
    const int64_t to_step = to.element * bytes, from_step = from.element * bytes;
    const int64_t to_row = to.row * bytes, from_row = from.row * bytes;
    for (int64_t e = 0; e < size; ++e) {
        for (int64_t r = 0; r < rows; ++r)
            memcpy(to.data + r * to_row, from.data + r * from_row, (size_t)bytes);
        to.data += to_step;
        from.data += from_step;
    }
}

/* Strips of 16 elements use each cache line whole, whichever side is the contiguous one. */
enum { KL_PLANE_STRIP = 16 };

KL_INLINE void kl_plane_move(struct kl_plane to, struct kl_plane from, int64_t rows, int64_t size,
                             const int64_t bytes) {
    if (llabs(to.element) <= llabs(to.row) && llabs(from.element) <= llabs(from.row)) {
        kl_plane_each(to, from, 0, rows, 0, size, bytes); /* both stream along their rows */
        return;
    }
    for (int64_t first = 0; first < size; first += KL_PLANE_STRIP) {
        kl_plane_each(to, from, 0, rows, first, kl_min(first + KL_PLANE_STRIP, size), bytes);
    }
}

/* Rows [begin, rows) of kl_plane_each, few of them: the long way is the inner one. */
KL_INLINE void kl_plane_few(struct kl_plane to, struct kl_plane from, int64_t begin, int64_t rows,
                            int64_t size, const int64_t bytes) {
    to.data += begin * to.row * bytes;
    from.data += begin * from.row * bytes;
    switch (rows - begin) {
    case 0: break;
    case 1: kl_plane_lines(to, from, 1, size, bytes); break;
    case 2: kl_plane_lines(to, from, 2, size, bytes); break;
    default: kl_plane_lines(to, from, 3, size, bytes); break;
    }
}

/* The same where to.element and from.row are 1: squares turned in registers. */
KL_INLINE void kl_plane_turn(struct kl_plane to, struct kl_plane from, int64_t rows, int64_t size,
                             const int64_t bytes) {
    const int64_t side = bytes == 4 ? KL_WORDS_SIDE : KL_LONGS_SIDE;
    const int64_t squares = rows / side * side, whole = size / side * side;
    for (int64_t first = 0; first < whole; first += KL_PLANE_STRIP) {
        const int64_t last = kl_min(first + KL_PLANE_STRIP, whole);
        for (int64_t r = 0; r < squares; r += side) {
            for (int64_t e = first; e < last; e += side) {
                char *p = to.data + (r * to.row + e) * bytes;
                const char *q = from.data + (r + e * from.element) * bytes;
                if (bytes == 4) {
                    kl_turn_words(p, to.row * bytes, q, from.element * bytes);
                } else {
                    kl_turn_longs(p, to.row * bytes, q, from.element * bytes);
                }
            }
        }
    }
    kl_plane_few(to, from, squares, rows, whole, bytes);
    kl_plane_few((struct kl_plane){to.data, to.element, to.row},
                 (struct kl_plane){from.data, from.element, from.row}, whole, size, rows, bytes);
}

KL_INLINE void kl_plane_choose(struct kl_plane to, struct kl_plane from, int64_t rows, int64_t size,
                               const int64_t bytes) {
    if (bytes == 1) {
        kl_plane_move(to, from, rows, size, bytes);
    } else if (to.element == 1 && from.row == 1) {
        kl_plane_turn(to, from, rows, size, bytes);
    } else if (to.row == 1 && from.element == 1) {
        kl_plane_turn((struct kl_plane){to.data, to.element, to.row},
                      (struct kl_plane){from.data, from.element, from.row}, size, rows, bytes);
    } else {
        kl_plane_move(to, from, rows, size, bytes);
    }
}

/* Copies rows x size elements of itemsize 1, 4 or 8; the sides share no memory. */
static KL_UNUSED void kl_plane_copy(struct kl_plane to, struct kl_plane from, int64_t rows,
                                    int64_t size, int64_t itemsize) {
    if (to.element == 1 && from.element == 1) {
        for (int64_t r = 0; r < rows; r++) {
            memcpy(to.data + r * to.row * itemsize, from.data + r * from.row * itemsize,
                   (size_t)(size * itemsize));
        }
        return;
    }
    switch (itemsize) {
    case 1: kl_plane_choose(to, from, rows, size, 1); break;
    case 4: kl_plane_choose(to, from, rows, size, 4); break;
    default: kl_plane_choose(to, from, rows, size, 8); break;
    }
}

#endif
