/* The portable kernels: tiles of 6 x 8, each row one group of 8 scalars, and v4's of 4 x 4; see
 * plain.inc.h. */
#define KL_SQUARE 1
KL_INLINE void KL_FN(square)(const char *src, const int64_t *offset, T *dst, int64_t pitch) {
    (void)pitch;
    *dst = *(const KL_LOOSE *)(src + offset[0]);
}

#if defined(__SSE2__)
#define KL_EXACT32_HALVES_generic 1 /* see exact_x86.inc.h */
#define KL_EXACT64_HALVES_generic 1
#endif

#include "kael/matmul/pack.inc.h"

#define KL_PLAIN(word) KL_FN(plain_4x4_##word)
#define KL_PLAIN_ROWS 4
#define KL_PLAIN_COLUMNS 4
#include "kael/matmul/plain.inc.h"
#undef KL_PLAIN
#undef KL_PLAIN_ROWS
#undef KL_PLAIN_COLUMNS

#define KL_PLAIN(word) KL_FN(plain_6x8_##word)
#define KL_PLAIN_ROWS 6
#define KL_PLAIN_COLUMNS 8
#include "kael/matmul/plain.inc.h"
#undef KL_PLAIN
#undef KL_PLAIN_ROWS
#undef KL_PLAIN_COLUMNS

#define KL_TILE_KERNELS KL_FN(plain_6x8_kernels)
#define KL_TILE_KERNELS_4 KL_FN(plain_4x4_kernels)
